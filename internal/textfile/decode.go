package textfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/charset"
)

// Shares of a file, in percent, above which it is binary: control characters, and bytes that are no UTF-8.
const (
	maxControl = 5
	maxForeign = 30 // unless an encoding makes text of them
	fewBytes   = 16 // so many of either are let pass whatever their share
)

// Decode turns the bytes of a file into text: UTF-16 and UTF-8 by their byte order mark, which is dropped, else UTF-8,
// else the encoding of before Unicode that package charset finds likely; "\r\n" becomes "\n". What is no character
// becomes U+FFFD. ok is false for what is no text: it holds a NUL, or too much that no text holds.
func Decode(data []byte) (text string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		text = decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text = decodeUTF16(data[2:], binary.BigEndian)
	default:
		if bytes.IndexByte(data, 0) >= 0 {
			return "", false
		}
		marked := bytes.HasPrefix(data, []byte("\xef\xbb\xbf"))
		if marked {
			data = data[3:]
		}
		if utf8.Valid(data) {
			if text, ok = charset.Escaped(data); !ok {
				text = string(data)
			}
			break
		}
		bad, good := foreign(data)
		many := over(bad, len(data), maxForeign)
		switch {
		case marked && many:
			return "", false
		case marked || good >= bad: // UTF-8 with a few bytes that are not
			text = repair(data)
		default:
			if text, _, ok = charset.Decode(data); !ok && many {
				return "", false
			}
		}
	}
	if strings.IndexByte(text, 0) >= 0 || over(controls(text), len(text), maxControl) {
		return "", false
	}
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text, true
}

func over(n, of, percent int) bool { return n > fewBytes && n*100 > of*percent }

// controls counts the control characters that text files do not hold.
func controls(text string) (n int) {
	for i := range len(text) {
		if c := text[i]; c < ' ' && (c < '\b' || c > '\r') && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n
}

// foreign counts the bytes that are no part of a UTF-8 character, and the characters of several bytes.
func foreign(data []byte) (bad, good int) {
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		if c == utf8.RuneError && size == 1 {
			bad++
		} else if size > 1 {
			good++
		}
		data = data[size:]
	}
	return bad, good
}

func decodeUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(data)/2+1)
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	text := string(utf16.Decode(units))
	if len(data) == 1 {
		text += string(utf8.RuneError)
	}
	return text
}

// repair puts one U+FFFD for each longest start of a character that breaks off, and for each other stray byte.
func repair(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		if c == utf8.RuneError && size == 1 {
			size = broken(data)
		}
		b.WriteRune(c)
		data = data[size:]
	}
	return b.String()
}

// broken is the length of the longest start of a valid character at the head of data, at least 1.
func broken(data []byte) int {
	first := data[0]
	lo, hi, need := byte(0x80), byte(0xbf), 0
	switch {
	case 0xc2 <= first && first <= 0xdf:
		need = 1
	case 0xe0 <= first && first <= 0xef:
		need = 2
		if first == 0xe0 {
			lo = 0xa0
		} else if first == 0xed {
			hi = 0x9f
		}
	case 0xf0 <= first && first <= 0xf4:
		need = 3
		if first == 0xf0 {
			lo = 0x90
		} else if first == 0xf4 {
			hi = 0x8f
		}
	}
	n := 1
	for ; n <= need && n < len(data) && lo <= data[n] && data[n] <= hi; n++ {
		lo, hi = 0x80, 0xbf
	}
	return n
}
