package render

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

// Sequences that a terminal obeys. They go around text that is neutral, never into it.
const (
	bold   = "\x1b[1m"
	marked = "\x1b[1;33m" // bold and yellow
	normal = "\x1b[0m"
	linkTo = "\x1b]8;;" // the address follows, and stop
	stop   = "\x1b\\"
)

// Terminal is how a terminal shows an answer to a person: paths are links and the question's words are marked. Without
// these, and of nil, it is plain text.
type Terminal struct {
	Root  string                     // absolute path of the folder that paths are relative to, with "/"
	Marks func(text string) [][2]int // the words to mark in text: from and to in bytes, in order
	Plain bool                       // paths are no links: the files that they name hold another text
}

// path is a path, bold and with a link to its file.
func (t *Terminal) path(p code.Path) string {
	text := safetext.Line(p)
	if t == nil {
		return text
	}
	if t.Plain {
		return bold + text + normal
	}
	root := strings.TrimSuffix(t.Root, "/")
	if !strings.HasPrefix(root, "/") && root != "" {
		root = "/" + root // C:/work
	}
	return linkTo + "file://" + encode(root+"/"+p) + stop + bold + text + normal + linkTo + stop
}

// encode percent-encodes each byte of a path that means something in an address, or to a terminal.
func encode(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c < 0x80 && isWord(c) || strings.IndexByte("/-.~+:@", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// text is neutral text with its words marked.
func (t *Terminal) text(s string) string {
	if t == nil {
		return s
	}
	var b strings.Builder
	at := 0
	for _, m := range t.Marks(s) {
		b.WriteString(s[at:m[0]] + marked + s[m[0]:m[1]] + normal)
		at = m[1]
	}
	return b.String() + s[at:]
}
