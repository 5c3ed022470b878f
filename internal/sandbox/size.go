package sandbox

import (
	"fmt"
	"path"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/notebook"
	"github.com/contextd/contextd/internal/textfile"
)

// withOutputs is how many times as large as other files a notebook may be: its outputs do not count.
const withOutputs = 20

func isNotebook(p code.Path) bool { return strings.EqualFold(path.Ext(p), notebook.Ext) }

// maxBytes is the size up to which the file at p is read.
func (r *Root) maxBytes(p code.Path) int64 { return r.opts.Largest(p) }

// fits reports whether what counts of the bytes of a file that was read is within MaxFileBytes.
func (r *Root) fits(p code.Path, data []byte) bool {
	if int64(len(data)) <= r.opts.MaxFileBytes {
		return true
	}
	if !isNotebook(p) {
		return false
	}
	text, ok := textfile.Decode(data)
	if !ok {
		return false
	}
	script, ok := notebook.Script(text)
	return ok && int64(len(script)) <= r.opts.MaxFileBytes
}

func (r *Root) tooLarge(f File) Skipped {
	return Skipped{f.Path, false, code.TooLarge, fmt.Sprintf("%d bytes, at most %d count", f.Size, r.maxBytes(f.Path))}
}
