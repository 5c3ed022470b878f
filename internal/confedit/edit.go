// Package confedit edits configuration files of other programs as text: it changes what was asked for and keeps every
// other byte, so that comments, order, indentation, line ends and a byte order mark stay.
//
// Each function takes a file's bytes and returns an [Edit]; nil: the file says it already. What does not parse, before
// or after, is an error and no edit. JSON with comments and trailing commas, TOML tables and blocks between two marked
// lines are known.
package confedit

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxBytes bounds the files that are edited.
const MaxBytes = 16 << 20

// Splice replaces Old, which stands at the byte At, by New.
type Splice struct {
	At  int    `json:"at"`
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// Edit is splices of one text, ascending and apart; each At counts in the text before all of them.
type Edit []Splice

var errTextChanged = errors.New("the text is not the one that the edit was made for")

// Apply makes the edit in data.
func (e Edit) Apply(data []byte) ([]byte, error) {
	out := make([]byte, 0, len(data)+256)
	from := 0
	for _, s := range e {
		if s.At < from || s.At > len(data) || !bytes.HasPrefix(data[s.At:], []byte(s.Old)) {
			return nil, errTextChanged
		}
		out = append(append(out, data[from:s.At]...), s.New...)
		from = s.At + len(s.Old)
	}
	return append(out, data[from:]...), nil
}

// Invert is the edit that takes e back.
func (e Edit) Invert() Edit {
	out, shift := make(Edit, len(e)), 0
	for i, s := range e {
		out[i] = Splice{At: s.At + shift, Old: s.New, New: s.Old}
		shift += len(s.New) - len(s.Old)
	}
	return out
}

const bom = "\ufeff"

// text checks what every form of file must be and returns where its text starts, behind a byte order mark.
func text(data []byte) (start int, err error) {
	if len(data) > MaxBytes {
		return 0, fmt.Errorf("it has over %d MB", MaxBytes>>20)
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return 0, errors.New("it is not UTF-8 text")
	}
	if bytes.HasPrefix(data, []byte(bom)) {
		return len(bom), nil
	}
	return 0, nil
}

// newlineOf is the line end of a text: that of its first line.
func newlineOf(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentAt is the white space at the start of the line that holds the byte at.
func indentAt(data []byte, at int) string {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	end := start
	for end < at && (data[end] == ' ' || data[end] == '\t') {
		end++
	}
	return string(data[start:end])
}

func position(data []byte, at int) (line, column int) {
	return 1 + bytes.Count(data[:at], []byte("\n")), at - bytes.LastIndexByte(data[:at], '\n')
}
