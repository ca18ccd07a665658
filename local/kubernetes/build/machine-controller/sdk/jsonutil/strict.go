// Package jsonutil reads JSON without letting an unknown field pass.
package jsonutil

import (
	"bytes"
	"encoding/json"
)

func StrictUnmarshal(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
