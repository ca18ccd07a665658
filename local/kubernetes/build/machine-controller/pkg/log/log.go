// Package log has the logger that KubeOne hands to a cloud's driver. There are no drivers here, so nothing is written.
package log

import "go.uber.org/zap"

type Format string

const FormatConsole Format = "Console"

func New(_ bool, _ Format) *zap.Logger {
	return zap.NewNop()
}
