package local

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// builder makes one segment of documents. Feature blobs go to its file at once; of the postings it keeps 8 bytes each
// until the end, and the vectors.
type builder struct {
	w       *segWriter
	table   termTable
	posts   [][]uint64 // in order of arrival: term <<40 | chunk <<16 | count; blocks of postBlock
	files   []byte     // section files, without its last row
	lens    []byte
	scales  []byte
	vectors []byte
	q       []int8
	nfiles  uint32
	chunks  uint32
	blobs   uint64
	source  int64 // bytes of the files on disk
}

const postBlock = 1 << 15

func newBuilder(dir string, dims int, mark string) (*builder, error) {
	w, err := newSegWriter(dir, dims, mark)
	if err != nil {
		return nil, err
	}
	return &builder{w: w, q: make([]int8, dims)}, nil
}

// full reports whether the segment should be finished before it grows beyond what is kept in memory.
func (b *builder) full(limit int64) bool {
	return b.source >= limit || b.chunks >= maxChunks/2 || len(b.table.keys) >= maxTerms/2 || len(b.posts) > (128<<20)/(8*postBlock)
}

// add puts a file into the segment and returns its ordinal.
func (b *builder) add(f *code.File, vectors [][]float32, size int64) (uint32, error) {
	if len(f.Chunks) > maxChunks/4 {
		return 0, fmt.Errorf("%d chunks are too many", len(f.Chunks))
	}
	b.fileRow()
	blob := blob.EncodeFeatures(f)
	b.w.write(blob)
	b.blobs += uint64(len(blob))
	b.source += size
	dims := int(b.w.header.dims)
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if i == 0 {
			for _, id := range search.NameTerms(f) {
				b.post(titleKey(id), 1)
			}
		}
		for k := range c.Terms {
			if tf := combinedTF(&c.Terms[k].TF); tf > 0 {
				b.post(wordKey(c.Terms[k].Term.ID), uint64(min(tf, math.MaxUint16)))
			}
		}
		for _, n := range c.Names {
			b.post(nameKey(n.ID), 1)
		}
		b.lens = binary.LittleEndian.AppendUint32(b.lens, uint32(chunkLen(&c.Lens)+len(c.Names)))
		if dims > 0 {
			var scale, norm float32
			if vectors != nil {
				scale, _ = search.QuantizeInto(b.q, vectors[i])
				norm = search.Norm(b.q, scale)
			} else {
				clear(b.q)
			}
			b.scales = binary.LittleEndian.AppendUint32(b.scales, math.Float32bits(scale))
			b.scales = binary.LittleEndian.AppendUint32(b.scales, math.Float32bits(norm))
			b.vectors = slices.Grow(b.vectors, dims)
			for _, x := range b.q {
				b.vectors = append(b.vectors, byte(x))
			}
		}
		b.chunks++
	}
	b.nfiles++
	return b.nfiles - 1, b.w.err
}

func (b *builder) fileRow() {
	b.files = binary.LittleEndian.AppendUint32(b.files, b.chunks)
	b.files = binary.LittleEndian.AppendUint64(b.files, b.blobs)
}

func (b *builder) post(key, tf uint64) {
	v := uint64(b.table.ord(key))<<40 | uint64(b.chunks)<<16 | tf
	if n := len(b.posts); n > 0 && len(b.posts[n-1]) < postBlock {
		b.posts[n-1] = append(b.posts[n-1], v)
		return
	}
	size := postBlock
	if len(b.posts) == 0 {
		size = 256 // a segment of one small file stays small
	}
	b.posts = append(b.posts, append(make([]uint64, 0, size), v))
}

// finish writes all but the blobs and gives the segment its name.
func (b *builder) finish(n uint64, at func(step string) error) (segRef, error) {
	b.fileRow()
	w := b.w
	w.header.files, w.header.chunks = b.nfiles, b.chunks
	w.next()
	w.write(b.files)
	w.next()
	w.write(b.lens)
	w.next()

	// Bring the postings of each term together; those of one term stay in order of chunks.
	starts := make([]uint32, len(b.table.keys)+1)
	for i, n := range b.table.counts {
		starts[i+1] = starts[i] + n
	}
	sorted := make([]uint64, starts[len(b.table.keys)])
	next := slices.Clone(starts)
	for _, block := range b.posts {
		for _, v := range block {
			t := v >> 40
			sorted[next[t]] = v & (1<<40 - 1)
			next[t]++
		}
	}
	b.posts = nil
	order := b.table.order()
	var pw postingsWriter
	for _, t := range order {
		pw.begin(b.table.keys[t])
		for _, v := range sorted[starts[t]:starts[t+1]] {
			pw.add(uint32(v>>16), uint32(v&math.MaxUint16))
		}
		pw.end()
	}
	pw.writeTo(w)
	w.next()
	w.write(b.scales)
	w.next()
	w.write(b.vectors)
	return w.finish(n, at)
}

// postingsWriter encodes sections terms and postings.
type postingsWriter struct {
	rows, posts []byte
	key         uint64
	off         int
	count       uint32
	last        uint32 // chunk of the posting before
	chunk, tf   uint32 // the posting at hand, not written yet
	terms       uint32
}

func (p *postingsWriter) begin(key uint64) {
	p.key, p.off, p.count, p.last = key, len(p.posts), 0, 0
	p.tf = 0
}

// add takes the postings of a term by chunk; two of the same chunk (terms with the same id) become one.
func (p *postingsWriter) add(chunk, tf uint32) {
	if p.tf > 0 && chunk == p.chunk {
		p.tf += tf
		return
	}
	p.flush()
	p.chunk, p.tf = chunk, tf
}

func (p *postingsWriter) flush() {
	if p.tf == 0 {
		return
	}
	p.posts = appendPosting(p.posts, p.chunk-p.last, p.tf)
	p.last = p.chunk
	p.count++
	p.tf = 0
}

func (p *postingsWriter) end() {
	p.flush()
	if p.count == 0 {
		return
	}
	p.rows = binary.LittleEndian.AppendUint64(p.rows, p.key)
	p.rows = binary.LittleEndian.AppendUint32(p.rows, uint32(p.off))
	p.rows = binary.LittleEndian.AppendUint32(p.rows, p.count)
	p.terms++
}

// writeTo writes both sections; the writer stands at the first.
func (p *postingsWriter) writeTo(w *segWriter) {
	w.header.terms = p.terms
	w.write(p.rows)
	w.next()
	w.write(p.posts)
	if len(p.posts) > math.MaxUint32 && w.err == nil {
		w.err = fmt.Errorf("%d bytes of postings are too many", len(p.posts))
	}
}
