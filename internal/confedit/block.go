package confedit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Begin and End are the lines between which a text of ours stands in a file of somebody else.
const (
	Begin = "<!-- contextd:begin -->"
	End   = "<!-- contextd:end -->"
)

// SetBlock puts text between the marked lines of a file; it adds them at the end where there are none.
func SetBlock(data []byte, content string) (Edit, error) {
	if _, err := text(data); err != nil {
		return nil, err
	}
	nl := newlineOf(data)
	whole := strings.ReplaceAll(Begin+"\n"+strings.TrimSpace(content)+"\n"+End+"\n", "\n", nl)
	start, end, err := block(data)
	switch {
	case err != nil:
		return nil, err
	case start < end && strings.TrimRight(string(data[start:end]), "\r\n") == strings.TrimRight(whole, "\r\n"):
		return nil, nil
	case start < end:
		return Edit{{start, string(data[start:end]), whole}}, nil
	case len(bytes.TrimSpace(data)) == 0:
	case data[len(data)-1] == '\n':
		whole = nl + whole
	default:
		whole = nl + nl + whole
	}
	return Edit{{At: len(data), New: whole}}, nil
}

// RemoveBlock removes the marked lines and what stands between them, with the empty line before.
func RemoveBlock(data []byte) (Edit, error) {
	start, end, err := block(data)
	if err != nil || start == end {
		return nil, err
	}
	if before := data[:start]; bytes.HasSuffix(before, []byte("\r\n\r\n")) {
		start -= 2
	} else if bytes.HasSuffix(before, []byte("\n\n")) {
		start--
	}
	return Edit{{At: start, Old: string(data[start:end])}}, nil
}

// block finds the marked lines; start == end: there are none.
func block(data []byte) (start, end int, err error) {
	at, begin, line := 0, -1, 0
	for l := range bytes.Lines(data) {
		line++
		switch trimmed := strings.TrimPrefix(strings.TrimRight(string(l[:min(len(l), 64)]), "\r\n \t"), bom); {
		case len(l) <= 64 && trimmed == Begin && begin < 0:
			begin = at + strings.Index(string(l), Begin)
		case len(l) <= 64 && trimmed == End && begin >= 0:
			return begin, at + len(l), nil
		case len(l) <= 64 && trimmed == End:
			return 0, 0, fmt.Errorf("line %d: %s without %s before it", line, End, Begin)
		}
		at += len(l)
	}
	if begin >= 0 {
		return 0, 0, errors.New("there is " + Begin + " without " + End)
	}
	return 0, 0, nil
}
