package local

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/statedir"
)

// segWriter writes the sections of one segment, in order, to a file that gets its name when it is whole.
type segWriter struct {
	dir    string
	mark   string // end of its name
	header segHeader
	f      *os.File
	w      *bufio.Writer
	at     uint64
	sec    int
	err    error
}

func newSegWriter(dir string, dims int, mark string) (*segWriter, error) {
	f, err := os.CreateTemp(dir, segmentPrefix+"*"+mark+tempSuffix)
	if err != nil {
		return nil, fmt.Errorf("create a segment: %w", err)
	}
	w := &segWriter{dir: dir, mark: mark, f: f, w: bufio.NewWriterSize(f, 256<<10), at: headerSize}
	w.header.dims = uint32(dims)
	w.header.sections[0].off = headerSize
	w.header.nonce = newNonce()
	_, w.err = w.w.Write(make([]byte, headerSize))
	return w, nil
}

// write adds b to the section at hand.
func (w *segWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.w.Write(b)
	s := &w.header.sections[w.sec]
	s.sum = crc32.Update(s.sum, castagnoli, b)
	s.len += uint64(len(b))
	w.at += uint64(len(b))
}

// next ends the section at hand and begins the one after it.
func (w *segWriter) next() {
	if pad := -w.at & (sectionAlign - 1); pad > 0 && w.err == nil {
		_, w.err = w.w.Write(make([]byte, pad))
		w.at += pad
	}
	w.sec++
	w.header.sections[w.sec].off = w.at
}

// finish writes the header, closes the file and gives it the name of segment n.
func (w *segWriter) finish(n uint64, at func(step string) error) (segRef, error) {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	h := w.header.encode()
	if w.err == nil {
		_, w.err = w.f.WriteAt(h, 0)
	}
	if err := w.f.Close(); w.err == nil {
		w.err = err
	}
	if w.err == nil {
		w.err = at("rename segment")
	}
	ref := segRef{numbered(segmentPrefix, n, w.header.nonce) + w.mark, int64(w.at), binary.LittleEndian.Uint32(h[headerSize-4:])}
	if w.err == nil {
		w.err = statedir.Rename(w.f.Name(), filepath.Join(w.dir, ref.name))
	}
	if w.err != nil {
		_ = os.Remove(w.f.Name())
		return segRef{}, fmt.Errorf("write a segment: %w", w.err)
	}
	return ref, nil
}

// drop closes and removes the unfinished file.
func (w *segWriter) drop() {
	_ = w.f.Close()
	_ = os.Remove(w.f.Name())
}
