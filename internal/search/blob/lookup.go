package blob

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// Lookup reads the features of one file after another as LookupFeatures does, with few allocations: a question looks at
// a hundred files. It serves one goroutine at a time; what it has read stays good until Reset.
type Lookup struct {
	want   []code.TermID
	sorted []wanted // by id

	// Scratch space for one file.
	terms []candidate
	lists []blobReader // by wanted term: its postings; "" if the file has none
	list  []placed
	next  []int32 // by chunk: how many postings it has, then where the next one goes

	// Room for what is read.
	files    slab[Features]
	chunks   slab[ChunkFeatures]
	postings slab[Posting]
	symbols  slab[code.Symbol]
}

// wanted is a wanted term and its place among the wanted ones.
type wanted struct {
	id    code.TermID
	place int
}

// candidate is a wanted term that a file may have.
type candidate struct {
	wanted
	first, n   int // its bucket: the number of the first term in it, and how many they are
	start, end int // the postings of these, counted from the first of the file
}

// placed is a posting and its chunk.
type placed struct {
	chunk int
	Posting
}

// NewLookup is for the terms want, which must not change.
func NewLookup(want []code.TermID) *Lookup {
	l := new(Lookup)
	l.Reset(want)
	return l
}

// Reset makes a Lookup that was used one for other terms. What it has read is no longer good.
func (l *Lookup) Reset(want []code.TermID) {
	l.want, l.sorted = want, l.sorted[:0]
	for i, id := range want {
		l.sorted = append(l.sorted, wanted{id, i})
	}
	slices.SortFunc(l.sorted, func(a, b wanted) int { return cmp.Or(cmp.Compare(a.id, b.id), a.place-b.place) })
	l.lists = slices.Grow(l.lists[:0], len(want))[:len(want)]
	l.files.reset()
	l.chunks.reset()
	l.postings.reset()
	l.symbols.reset()
}

// Read reads the features of a file from its blob. The names of symbols are parts of it.
func (l *Lookup) Read(blob string) (*Features, error) {
	r := blobReader{b: blob}
	h := r.head()
	l.find(&r, &h)
	if r.bad {
		return nil, damaged(blob, "%d bytes are too few for its terms", len(blob))
	}
	f := &l.files.take(1, 128)[0]
	f.Umbrella = h.umbrella
	f.Terms, f.Chunks = l.want, l.chunks.take(h.chunks, 1024)
	if l.read(&r, h.chunks); r.bad {
		return nil, damaged(blob, "its postings end early or name other chunks than its %d", h.chunks)
	}
	l.place(f.Chunks)
	symbols, next := l.symbols.take(h.symbols, 2048), 1
	for i, seen := 0, 0; i < len(f.Chunks); i++ {
		c := &f.Chunks[i]
		n := r.chunk(c, &next)
		if r.bad || n > len(symbols)-seen {
			return nil, damaged(blob, "it ends at chunk %d of %d", i+1, h.chunks)
		}
		for k := range n {
			r.symbol(symbols, seen+k, c.Span.Start)
		}
		if r.bad {
			return nil, damaged(blob, "the symbols of chunk %d of %d", i+1, h.chunks)
		}
		c.Symbols = symbols[seen : seen+n : seen+n]
		seen += n
	}
	return f, nil
}

// find reads the directory, looks for the wanted terms in their buckets and sets where their postings are.
func (l *Lookup) find(r *blobReader, h *blobHead) {
	l.terms = l.terms[:0]
	term, at, k := 0, 0, 0
	for bucket := range h.buckets {
		n, size := r.count(h.terms), r.count(len(r.b))
		for ; k < len(l.sorted) && l.sorted[k].id>>h.width == code.TermID(bucket); k++ {
			if n > 0 {
				l.terms = append(l.terms, candidate{l.sorted[k], term, n, at, at + size})
			}
		}
		term, at = term+n, at+size
	}
	low := r.lows(h)
	base := r.at
	r.take(at)
	if r.bad || term != h.terms {
		r.fail()
		return
	}
	clear(l.lists)
	for i := range l.terms {
		t := &l.terms[i]
		if at := low.find(h.low(t.id), t.first, t.n); at >= 0 {
			p := blobReader{b: r.b[:base+t.end], at: base + t.start}
			p.stepOver(at - t.first)
			l.lists[t.place] = p
		}
	}
}

// read collects the postings of the wanted terms, in the order of these, and counts those of each chunk.
func (l *Lookup) read(r *blobReader, chunks int) {
	l.list = l.list[:0]
	l.next = slices.Grow(l.next[:0], chunks)[:chunks]
	clear(l.next)
	for term := range l.lists {
		p := &l.lists[term]
		last := p.b == ""
		for chunk := 0; !last; chunk++ {
			b := p.byte()
			form := &postingCodes[b]
			chunk += int(form.gap)
			tf := form.tf
			if form.more&moreGap != 0 {
				chunk += p.gap()
			}
			if form.more&moreCounts != 0 {
				p.counts(&tf)
			}
			if p.bad || chunk >= chunks {
				r.fail()
				return
			}
			last = b&1 != 0
			l.next[chunk]++
			l.list = append(l.list, placed{chunk, Posting{term, tf}})
		}
	}
}

// place gives each chunk its postings.
func (l *Lookup) place(chunks []ChunkFeatures) {
	all := l.postings.take(len(l.list), 4096)
	at := int32(0)
	for i, n := range l.next {
		chunks[i].Postings = all[at : at+n : at+n]
		l.next[i] = at
		at += n
	}
	for i := range l.list {
		p := &l.list[i]
		all[l.next[p.chunk]] = p.Posting
		l.next[p.chunk]++
	}
}

// chunk reads a chunk that begins at line next or later, up to the number of its symbols.
func (r *blobReader) chunk(c *ChunkFeatures, next *int) (symbols int) {
	c.Span.Start = *next + r.count(1<<31)
	c.Span.End = c.Span.Start + r.count(1<<31)
	*next = c.Span.End + 1
	for k := range c.Lens {
		c.Lens[k] = r.count(1 << 31)
	}
	return r.count(len(r.b))
}
