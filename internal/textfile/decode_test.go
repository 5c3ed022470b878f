package textfile

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

func toUTF16(text string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestDecode: text comes out whatever its encoding, and what is no text is told.
func TestDecode(t *testing.T) {
	t.Parallel()
	const text = "grüße\n日本 😀\n"
	for _, tt := range []struct {
		name, in, want string
		ok             bool
	}{
		{"empty", "", "", true},
		{"UTF-8", text, text, true},
		{"mark", "\xef\xbb\xbf" + text, text, true},
		{"mark only", "\xef\xbb\xbf", "", true},
		{"UTF-16 little", toUTF16(text, binary.LittleEndian), text, true},
		{"UTF-16 big", toUTF16(text, binary.BigEndian), text, true},
		{"UTF-16 odd length", toUTF16("ab", binary.LittleEndian) + "x", "ab\ufffd", true},
		{"UTF-16 half a pair", "\xff\xfe\x3d\xd8a\x00", "\ufffda", true},
		{"UTF-16 with a NUL", "\xff\xfea\x00\x00\x00", "", false},
		{"Latin-1", "gr\xfc\xdfe\n", "grüße\n", true},
		{"CRLF", "a\r\nb\rc\r\n", "a\nb\rc\n", true},
		{"UTF-16 CRLF", toUTF16("a\r\nb", binary.LittleEndian), "a\nb", true},
		{"mark, then no UTF-8", "\xef\xbb\xbfa\xe2\x82b\xf0\x9f\x98c\xffd", "a\ufffdb\ufffdc\ufffdd", true},
		{"NUL", "text\x00text", "", false},
		{"late NUL", strings.Repeat("text\n", 5000) + "\x00", "", false},
		{"controls", strings.Repeat("\x01\x02\x03\x04", 20), "", false},
		{"escape codes", strings.Repeat("\x1b[1mbold\x1b[0m\t\f\n", 50), strings.Repeat("\x1b[1mbold\x1b[0m\t\f\n", 50),
			true},
		{"windows-1251, mostly comment", "// \xee\xf8\xe8\xe1\xea\xe0 \xf7\xf2\xe5\xed\xe8\xff\nx\n",
			"// ошибка чтения\nx\n", true},
		{"GBK", "x = 1 // \xbc\xc6\xcb\xe3\xd7\xdc\xbc\xdb\n", "x = 1 // 计算总价\n", true},
		{"Shift_JIS, a backslash within", "x // \x95\x5c\x8e\xa6\x82\xb7\x82\xe9\r\ny\n", "x // 表示する\ny\n", true},
		{"ISO-2022-JP", "// \x1b$B:_8K\x1b(B\n", "// 在庫\n", true},
		{"UTF-8 with one stray byte", "größe\n\xff日本\n", "größe\n\ufffd日本\n", true},
		{"bytes without a NUL", strings.Repeat("\x81\xfe\xc3\x28\xa0\xff\xe0\x90", 50), "", false},
	} {
		if got, ok := Decode([]byte(tt.in)); got != tt.want || ok != tt.ok {
			t.Errorf("%s: Decode = %q, %v, want %q, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
