package local

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/contextd/contextd/internal/statedir"
)

// segment is a mapped segment file. It is immutable and safe for concurrent use as long as it is held.
type segment struct {
	segHeader
	ref    segRef
	number uint32 // by which manifests mean it
	data   []byte
	sec    [numSections][]byte
	stat   string // what the system said of its file (fileState)
	refs   int    // guarded by cache.mu
}

// openSegment maps a segment of dir and checks its sums, unless checked says that this was done for the file as it is.
// os.ErrNotExist in the error's chain: it is gone.
func openSegment(dir string, ref segRef, checked func(file string) bool) (*segment, error) {
	f, err := openSized(dir, "segment", ref.name, ref.size, headerSize)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := mapFile(f, int(ref.size))
	if err != nil {
		return nil, err
	}
	var s *segment
	file := fileState(f)
	err = recoverFault(func() (err error) {
		if s, err = parseSegment(data, !checked(file)); err == nil && binary.LittleEndian.Uint32(data[headerSize-4:]) != ref.head {
			err = damagedf("it is not the one that CURRENT means")
		}
		return err
	})
	if err != nil {
		unmapFile(data)
		return nil, damagedf("segment %q: %v", ref.name, err)
	}
	s.ref, s.stat = ref, file
	s.number, _ = segmentNumber(ref.name)
	return s, nil
}

// openSized opens a file of a project that has to be of a size, which is at least some bytes and may be mapped; what
// says what it is. os.ErrNotExist in the error's chain: it is gone.
func openSized(dir, what, name string, size, least int64) (*os.File, error) {
	f, err := statedir.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (info.Size() != size || size < least || size > math.MaxInt) {
		err = damagedf("%s %q has %d bytes, not %d", what, name, info.Size(), size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// parseSegment reads a segment from its bytes. Without verify only the header's sum is checked.
func parseSegment(data []byte, verify bool) (*segment, error) {
	h, err := parseHeader(data)
	if err != nil {
		return nil, err
	}
	s := &segment{segHeader: *h, data: data}
	for i, c := range h.sections {
		s.sec[i] = data[c.off:][:c.len:c.len]
	}
	if verify {
		if err := s.verify(); err != nil {
			return nil, err
		}
	}
	le := binary.LittleEndian
	files := s.sec[secFiles]
	chunk, blob := uint32(0), uint64(0)
	for i := 0; i < len(files); i += fileRow {
		c, b := le.Uint32(files[i:]), le.Uint64(files[i+4:])
		if c < chunk || b < blob || i == 0 && (c != 0 || b != 0) {
			return nil, damagedf("its list of files is out of order")
		}
		chunk, blob = c, b
	}
	if chunk != s.chunks || blob != uint64(len(s.sec[secBlobs])) {
		return nil, damagedf("its list of files does not fit its chunks")
	}
	return s, nil
}

// verify compares the sums of all sections, the large ones at the same time.
func (s *segment) verify() error {
	var wg sync.WaitGroup
	errs := make([]error, numSections)
	check := func(i int) {
		errs[i] = recoverFault(func() error {
			if sum(s.sec[i]) != s.sections[i].sum {
				return damagedf("its section %d has a wrong checksum", i)
			}
			return nil
		})
	}
	for i := range s.sec {
		if len(s.sec[i]) > 1<<20 {
			wg.Go(func() { check(i) })
		} else {
			check(i)
		}
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// file gives the chunks of a file, first and past the last, and its feature blob.
func (s *segment) file(ord uint32) (first, end uint32, blob []byte) {
	row := s.sec[secFiles][int(ord)*fileRow:]
	le := binary.LittleEndian
	return le.Uint32(row), le.Uint32(row[fileRow:]), s.sec[secBlobs][le.Uint64(row[4:]):le.Uint64(row[fileRow+4:])]
}

func (s *segment) chunkLen(c uint32) uint32 { return binary.LittleEndian.Uint32(s.sec[secLens][c*4:]) }

func (s *segment) key(i int) uint64 { return binary.LittleEndian.Uint64(s.sec[secTerms][i*termRow:]) }

// list is the encoded postings of the i-th term and their number; empty where the segment contradicts itself.
func (s *segment) list(i int) ([]byte, int) {
	rows, le := s.sec[secTerms], binary.LittleEndian
	off, end := uint64(le.Uint32(rows[i*termRow+8:])), uint64(len(s.sec[secPostings]))
	if i+1 < int(s.terms) {
		end = uint64(le.Uint32(rows[(i+1)*termRow+8:]))
	}
	if off > end || end > uint64(len(s.sec[secPostings])) {
		return nil, 0
	}
	return s.sec[secPostings][off:end], int(le.Uint32(rows[i*termRow+12:]))
}

// postings finds the encoded postings of a term and their number.
func (s *segment) postings(key uint64) ([]byte, int) {
	lo, hi := 0, int(s.terms)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); s.key(mid) < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == int(s.terms) || s.key(lo) != key {
		return nil, 0
	}
	return s.list(lo)
}

// lengths are scale and length (search.Norm) of the vector of a chunk; 0 without vectors.
func (s *segment) lengths(c uint32) (scale, norm float32) {
	if s.dims == 0 {
		return 0, 0
	}
	row := s.sec[secScales][c*8:][:8]
	return math.Float32frombits(binary.LittleEndian.Uint32(row)), math.Float32frombits(binary.LittleEndian.Uint32(row[4:]))
}

// vectors are the quantised vectors of n chunks from c on, one behind the other; nil without vectors.
func (s *segment) vectors(c uint32, n int) []int8 {
	if s.dims == 0 || n == 0 {
		return nil
	}
	v := s.sec[secVectors][int(c)*int(s.dims):][:n*int(s.dims)]
	return unsafe.Slice((*int8)(unsafe.Pointer(&v[0])), len(v))
}

// vector is the quantised vector of a chunk with its scale and length; nil without vectors.
func (s *segment) vector(c uint32) (q []int8, scale, norm float32) {
	scale, norm = s.lengths(c)
	return s.vectors(c, 1), scale, norm
}
