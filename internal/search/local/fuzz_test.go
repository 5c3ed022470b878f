package local

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

// sample is the content of CURRENT and of a segment of a small project.
func sample(f *testing.F) (current, seg []byte) {
	f.Helper()
	ix := open(f, f.TempDir())
	defer ix.Close()
	advance(f, ix, before())
	dir := ix.folder("p")
	h, err := readHead(dir)
	if err != nil {
		f.Fatal(err)
	}
	if current, err = os.ReadFile(filepath.Join(dir, currentName)); err != nil {
		f.Fatal(err)
	}
	if seg, err = os.ReadFile(filepath.Join(dir, h.segs[0].name)); err != nil {
		f.Fatal(err)
	}
	return current, seg
}

// sealCurrent gives damaged data the sums of sound data, so that what lies behind the sums is reached.
func sealCurrent(b []byte) []byte {
	if len(b) < prefixSize {
		return b
	}
	le := binary.LittleEndian
	n := prefixSize + uint64(le.Uint32(b[12:]))
	if n > uint64(len(b)) {
		return b
	}
	le.PutUint64(b[16:], uint64(len(b))-n)
	le.PutUint32(b[24:], sum(b[n:]))
	le.PutUint32(b[28:], headSum(b[:n]))
	return b
}

func FuzzCurrentIsReadOrRefused(f *testing.F) {
	current, _ := sample(f)
	f.Add(current, false)
	f.Add(current, true)
	f.Add(current[:len(current)/2], true)
	f.Add([]byte(currentMagic), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealCurrent(data)
		}
		h, rows, err := parseCurrent(data)
		if err != nil {
			return
		}
		t2 := (&table{base: h.base}).with(rows)
		again := encodeCurrent(h, t2)
		h2, rows2, err := parseCurrent(again)
		if err != nil {
			t.Fatalf("what was read and written again cannot be read: %v", err)
		}
		if h2.project != h.project || h2.base != h.base || len(h2.segs) != len(h.segs) || !slices.Equal(rows2, rows) {
			t.Fatalf("read %+v, written and read again %+v", h, h2)
		}
	})
}

func FuzzManifestIsReadOrRefused(f *testing.F) {
	ix := open(f, f.TempDir())
	defer ix.Close()
	ix.foldFrom = 0
	advance(f, ix, before())
	h, err := readHead(ix.folder("p"))
	if err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(ix.folder("p"), h.base.name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, false)
	f.Add(data, true)
	f.Add(data[:len(data)/2], true)
	f.Add([]byte(manifestMagic), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal {
			data = sealCurrent(data)
		}
		m, err := parseManifest(data)
		if err != nil {
			return
		}
		body, _ := encodeRows(len(m.entries), func(i int) (*search.Entry, loc) { return &m.entries[i], m.locs[i] })
		var again table
		if err := parseRows(body, len(m.entries), pathBytes(m), func(n int) {
			again.entries, again.locs = make([]search.Entry, n), make([]loc, n)
		}, func(i int) *search.Entry { return &again.entries[i] }, func(i int, l loc) { again.locs[i] = l }); err != nil {
			t.Fatalf("what was read and written again cannot be read: %v", err)
		}
		if !slices.Equal(again.entries, m.entries) || !slices.Equal(again.locs, m.locs) {
			t.Fatalf("read %+v, written and read again %+v", m, again)
		}
	})
}

func pathBytes(t *table) (n int) {
	for i := range t.entries {
		n += len(t.entries[i].Path)
	}
	return n
}

func FuzzSegmentIsSearchedOrRefused(f *testing.F) {
	_, seg := sample(f)
	f.Add(seg, false)
	f.Add(seg, true)
	f.Add(seg[:len(seg)/2], true)
	f.Add(seg[:headerSize], true)
	doc := searchtest.Doc("a.go", "go", "common @old1 second")
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= headerSize {
			binary.LittleEndian.PutUint32(data[headerSize-4:], sum(data[:headerSize-4]))
		}
		s, err := parseSegment(data, !seal)
		if err != nil {
			return
		}
		// A manifest that names every file but each third one.
		s.number = 1
		st := &state{segs: []*segment{s}, index: indexOf([]*segment{s}), head: &head{project: search.Project{Model: search.Model{Dims: int(s.dims)}}}}
		p := &st.head.project
		for ord := range s.files {
			if ord%3 == 2 {
				continue
			}
			first, end, _ := s.file(ord)
			st.entries = append(st.entries, search.Entry{Path: string(binary.BigEndian.AppendUint32(nil, ord)), Chunks: int(end - first), Lens: [code.NumFields]int{1}})
			st.locs = append(st.locs, loc{s.number, ord})
			p.Files++
			p.Chunks += int(end - first)
		}
		if err := st.prepare(); err != nil {
			t.Fatalf("a manifest that fits is refused: %v", err)
		}
		var n search.Nominees
		q := search.Query{Words: wordsOf(doc), Names: doc.File.Chunks[0].Names}
		n.Stats.DF = make([]int, len(q.Words))
		text, names := st.lexicalLegs(t.Context(), q, nil, &n)
		var near []hit
		query := make([]float32, s.dims)
		if s.dims > 0 {
			query[0] = 1
			if near, err = st.nearest(t.Context(), query, nil); err != nil {
				t.Fatal(err)
			}
		}
		st.candidates(st.interleave(10, text, names, near), query, true)
		w := part{segment: s, to: make([]uint32, s.chunks)}
		for c := range w.to {
			w.to[c] = uint32(c)
		}
		mergePostings([]part{w}, &postingsWriter{})
	})
}

func FuzzNotesAreReadOrIgnored(f *testing.F) {
	h := &head{project: search.Project{Epoch: "e1"}, seq: 7}
	f.Add(encodeNote(h, "123"))
	f.Add([]byte("00000000 e1 7 123\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		line, ok := checkNote(data)
		if !ok {
			return
		}
		if p := payloadOf(line, h); p != "" && string(encodeNote(h, p)) != string(data) && string(encodeNote(h, p)) != string(data)+"\n" {
			t.Errorf("%q is read as %q", data, p)
		}
	})
}
