package confedit

import (
	"bytes"
	"slices"
)

// style is how the file writes its values: by its first member and its first line end.
func (d *document) style() style {
	if !bytes.ContainsRune(bytes.TrimSpace(d.data), '\n') {
		return compactStyle
	}
	s := style{newlineOf(d.data), "  "}
	if c, ok := d.container(&d.root); ok && len(c.children) > 0 &&
		bytes.ContainsRune(d.data[c.open:c.children[0].start], '\n') {
		if in, out := indentAt(d.data, c.children[0].start), indentAt(d.data, c.open); len(in) > len(out) {
			s.unit = in[len(out):]
		}
	}
	return s
}

// insert adds what write returns behind the last child of c, as the children before it stand: each on a line, or all on
// one. Comments stay with what they stand behind.
func (d *document) insert(c container, write func(s style, indent string) string, root bool) Edit {
	s, outer := d.style(), indentAt(d.data, c.open)
	if len(c.children) == 0 {
		inside := d.data[c.open+1 : c.close]
		if root && s == compactStyle {
			s = style{"\n", "  "}
		}
		indent := outer + s.unit
		text, end := s.newline+indent+write(s, indent), s.newline+outer
		if s == compactStyle {
			text, end = write(s, ""), ""
		}
		if !notBlank.Match(inside) {
			return Edit{{c.open + 1, string(inside), text + end}}
		}
		at := c.open + 1 + len(bytes.TrimRight(inside, " \t\r\n")) // behind its comments
		if bytes.ContainsRune(d.data[at:c.close], '\n') {
			end = ""
		}
		return Edit{{At: at, New: text + end}}
	}
	last := c.children[len(c.children)-1].end
	comma, trailing := d.comma(last)
	first := c.children[0].start
	if !bytes.ContainsRune(d.data[c.open+1:first], '\n') { // on one line
		if s != compactStyle {
			s = style{}
		}
		text := write(s, "")
		if trailing {
			return Edit{{At: comma + 1, New: " " + text}}
		}
		return Edit{{At: last, New: d.separator(c) + text}}
	}
	indent := indentAt(d.data, first)
	end := last
	if trailing {
		end = comma + 1
	}
	at := end + len(bytes.TrimRight(d.data[end:c.close], " \t\r\n"))
	text := s.newline + indent + write(s, indent)
	switch {
	case trailing:
		return Edit{{At: at, New: text + ","}}
	case at == last:
		return Edit{{At: at, New: "," + text}}
	}
	return Edit{{At: last, New: ","}, {At: at, New: text}}
}

// separator returns the comma between children on one line, with a space if the file has one.
func (d *document) separator(c container) string {
	if len(c.children) > 1 {
		if at, ok := d.comma(c.children[0].end); ok && c.children[1].start == at+1 {
			return ","
		}
		return ", "
	}
	if c.open+1 == c.children[0].start {
		return ","
	}
	return ", "
}

// comma is where the comma behind a value that ends at end stands.
func (d *document) comma(end int) (at int, ok bool) {
	at = afterExtra(d.data, end)
	return at, at < len(d.data) && d.data[at] == ','
}

func sortEdit(e Edit) {
	slices.SortStableFunc(e, func(a, b Splice) int { return a.At - b.At })
}
