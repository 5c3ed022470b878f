package local

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// table is a manifest, by path: the rows of a file MANIFEST with changes that CURRENT holds. It is not changed once
// built.
type table struct {
	entries []search.Entry
	locs    []loc
	base    baseRef
	over    []code.Path // that are in it otherwise than in its base, or no longer, by path
}

// loc is where the chunks of an entry are: the segment with number seg, file ord in it. seg 0: it has none.
type loc struct{ seg, ord uint32 }

// row is a row of a manifest, or in CURRENT one that is no longer there.
type row struct {
	entry search.Entry
	loc   loc
	gone  bool
}

// baseRef names a file of a project that holds a whole manifest; zero: an empty one, without a file.
type baseRef struct {
	name string
	size int64
	sum  uint32 // of the file's prefix, which holds the sums of all else
}

// with is t with some rows changed, which come by path.
func (t *table) with(rows []row) *table {
	if len(rows) == 0 {
		return t
	}
	n := len(t.entries) + len(rows)
	out := &table{entries: make([]search.Entry, 0, n), locs: make([]loc, 0, n), base: t.base}
	i := 0
	for k := range rows {
		r := &rows[k]
		at, found := t.findFrom(i, r.entry.Path)
		out.entries, out.locs = append(out.entries, t.entries[i:at]...), append(out.locs, t.locs[i:at]...)
		if i = at; found {
			i++
		}
		if !r.gone {
			out.entries, out.locs = append(out.entries, r.entry), append(out.locs, r.loc)
		}
	}
	out.entries, out.locs = append(out.entries, t.entries[i:]...), append(out.locs, t.locs[i:]...)
	out.over = unite(t.over, len(rows), func(k int) code.Path { return rows[k].entry.Path })
	return out
}

// unite adds n paths, which come in order, to paths.
func unite(paths []code.Path, n int, path func(k int) code.Path) []code.Path {
	all := slices.Grow(slices.Clone(paths), n)
	for k := range n {
		all = append(all, path(k))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// find is the index of a path's entry; false if there is none.
func (t *table) find(path code.Path) (int, bool) { return t.findFrom(0, path) }

func (t *table) findFrom(i int, path code.Path) (int, bool) {
	at, found := slices.BinarySearchFunc(t.entries[i:], path, func(e search.Entry, p code.Path) int { return strings.Compare(e.Path, p) })
	return i + at, found
}

// changed are the rows that CURRENT holds of t.
func (t *table) changed() []row {
	rows := make([]row, len(t.over))
	for k, p := range t.over {
		if i, ok := t.find(p); ok {
			rows[k] = row{entry: t.entries[i], loc: t.locs[i]}
		} else {
			rows[k] = row{entry: search.Entry{Path: p}, gone: true}
		}
	}
	return rows
}

// A file man-<n>-<nonce>, all numbers little-endian:
//
//	prefix   as of CURRENT
//	head     numbers of rows and of bytes of paths (varints)
//	body     as of CURRENT
const (
	manifestMagic   = "ctxdMAN\n"
	manifestVersion = 1
	manifestPrefix  = "man-"
)

// foldShare is which part of a manifest may stand in CURRENT as changed, beyond Index.foldFrom rows: each commit writes
// those anew, and beyond it all of the manifest.
const foldShare = 32

// fold writes t into a file of its own if CURRENT would have to hold much of it. It sets the base of t.
func (w *writer) fold(t *table) error {
	if len(t.over) <= max(w.ix.foldFrom, len(t.entries)/foldShare) {
		return nil
	}
	body, paths := encodeRows(len(t.entries), func(i int) (*search.Entry, loc) { return &t.entries[i], t.locs[i] })
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(t.entries))), uint64(paths))
	data := seal(manifestMagic, manifestVersion, head, body)
	w.head.nextSeg++
	name := numbered(manifestPrefix, w.head.nextSeg, newNonce()) + w.mark()
	if err := replaceFile(w.dir, name, data, w.ix.beforeStep); err != nil {
		return err
	}
	t.base, t.over = baseRef{name, int64(len(data)), binary.LittleEndian.Uint32(data[prefixSize-4:])}, nil
	return nil
}

// readBase reads the manifest that CURRENT or NEXT builds on. os.ErrNotExist in the error's chain: it is gone.
func readBase(dir string, ref baseRef) (*table, error) {
	if ref.name == "" {
		return &table{}, nil
	}
	f, err := openSized(dir, "manifest", ref.name, ref.size, prefixSize)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return mappedBase(f, ref)
}

func mappedBase(f *os.File, ref baseRef) (t *table, err error) {
	data, err := mapFile(f, int(ref.size))
	if err != nil {
		return nil, err
	}
	defer unmapFile(data)
	err = recoverFault(func() error {
		if binary.LittleEndian.Uint32(data[prefixSize-4:]) != ref.sum {
			return damagedf("it is not the one that CURRENT means")
		}
		t, err = parseManifest(data)
		return err
	})
	if err != nil {
		return nil, damagedf("manifest %q: %v", ref.name, err)
	}
	t.base = ref
	return t, nil
}

// parseManifest reads a manifest from the bytes of its file; what it gives holds none of them.
func parseManifest(data []byte) (*table, error) {
	head, body, err := unseal(manifestMagic, manifestVersion, data)
	if err != nil {
		return nil, err
	}
	r := reader{b: head}
	rows, paths := r.count(1<<31-1), r.count(1<<40)
	if r.bad {
		return nil, damagedf("its head cannot be read")
	}
	t := &table{}
	if err := parseRows(body, rows, paths, func(n int) {
		t.entries, t.locs = make([]search.Entry, n), make([]loc, n)
	}, func(i int) *search.Entry { return &t.entries[i] }, func(i int, l loc) { t.locs[i] = l }); err != nil {
		return nil, err
	}
	return t, nil
}
