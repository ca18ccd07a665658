// Package errors distinguishes the failures of a driver.
package errors

import "errors"

var ErrInstanceNotFound = errors.New("the cloud has no such instance")

// IsTerminalError says whether trying again is useless, with reason and message. No driver fails here.
func IsTerminalError(error) (terminal bool, reason string, message string) {
	return false, "", ""
}
