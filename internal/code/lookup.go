package code

import "slices"

// Lookup reads the features of one file after another as LookupFeatures does, with few allocations: a question looks at a
// hundred files. It serves one goroutine at a time; what it has read stays good until Reset.
type Lookup struct {
	want  []TermID
	names bool // ChunkFeatures.Names too

	// Scratch space for one file.
	terms []wanted
	list  []placed
	next  []int32 // by chunk: how many postings it has, then where the next one goes

	// Room for what is read.
	files    slab[Features]
	chunks   slab[ChunkFeatures]
	postings slab[Posting]
	symbols  slab[Symbol]
}

// wanted is a wanted term that a file has.
type wanted struct {
	ord        int // its number in the file
	place      int // among the wanted ones
	start, end int // of its postings
}

// placed is a posting and its chunk.
type placed struct {
	chunk int
	Posting
}

// NewLookup is for the terms want, which must not change.
func NewLookup(want []TermID) *Lookup { return &Lookup{want: want} }

// Reset makes a Lookup that was used one for other terms. What it has read is no longer good.
func (l *Lookup) Reset(want []TermID) {
	l.want = want
	l.files.reset()
	l.chunks.reset()
	l.postings.reset()
	l.symbols.reset()
}

// Read reads the features of a file from its blob. The names of symbols are parts of it.
func (l *Lookup) Read(blob string) (*Features, error) {
	r := blobReader{b: blob}
	chunks, ids := r.head()
	l.find(ids)
	if l.measure(&r, len(ids)/5); r.bad {
		return nil, damaged(blob, "%d bytes are too few for its terms", len(blob))
	}
	f := &l.files.take(1, 128)[0]
	f.Terms, f.Chunks = l.want, l.chunks.take(chunks, 1024)
	if l.read(&r, chunks); r.bad {
		return nil, damaged(blob, "its postings name other chunks than its %d", chunks)
	}
	l.place(f.Chunks)
	next := 1
	for i := range f.Chunks {
		if next = l.chunk(&r, &f.Chunks[i], next); r.bad {
			return nil, damaged(blob, "it ends at chunk %d of %d", i+1, chunks)
		}
	}
	return f, nil
}

// find looks for the wanted terms among those of a file.
func (l *Lookup) find(ids string) {
	l.terms = l.terms[:0]
	for i, id := range l.want {
		if ord := findID(ids, id); ord >= 0 {
			l.terms = append(l.terms, wanted{ord: ord, place: i})
		}
	}
}

// measure reads the lengths of all postings and tells where those of the wanted terms are, counted from the first.
func (l *Lookup) measure(r *blobReader, terms int) {
	slices.SortFunc(l.terms, func(a, b wanted) int { return a.ord - b.ord })
	at, k := 0, 0
	for ord := range terms {
		n := 0
		if r.at < len(r.b) && r.b[r.at] < 0x80 { // nearly all
			n = int(r.b[r.at])
			r.at++
		} else {
			n = r.count(len(r.b))
		}
		for ; k < len(l.terms) && l.terms[k].ord == ord; k++ {
			l.terms[k].start, l.terms[k].end = at, at+n
		}
		at += n
	}
	if at > r.left() {
		r.fail()
	}
	slices.SortFunc(l.terms, func(a, b wanted) int { return a.place - b.place })
	for i := range l.terms {
		l.terms[i].start += r.at
		l.terms[i].end += r.at
	}
	r.take(at)
}

// read collects the postings of the wanted terms, in the order of these, and counts those of each chunk.
func (l *Lookup) read(r *blobReader, chunks int) {
	l.list = l.list[:0]
	l.next = slices.Grow(l.next[:0], chunks)[:chunks]
	clear(l.next)
	for _, t := range l.terms {
		p := blobReader{b: r.b[:t.end], at: t.start}
		for chunk := 0; p.left() > 0; {
			step := p.uvarint()
			chunk += int(step >> 1)
			tf := [NumFields]uint16{Body: 1}
			if step&1 != 0 {
				tf = [NumFields]uint16{}
				mask := p.byte()
				for k := range tf {
					if mask&(1<<k) != 0 {
						tf[k] = uint16(p.uvarint())
					}
				}
			}
			if p.bad || chunk < 0 || chunk >= chunks {
				r.fail()
				return
			}
			l.next[chunk]++
			l.list = append(l.list, placed{chunk, Posting{t.place, tf}})
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

// chunk reads the rest of a chunk that begins at line next or later, and returns the line after it.
func (l *Lookup) chunk(r *blobReader, c *ChunkFeatures, next int) int {
	c.Span.Start = next + r.count(1<<31)
	c.Span.End = c.Span.Start + r.count(1<<31)
	for k := range c.Lens {
		c.Lens[k] = r.count(1 << 31)
	}
	ids := r.take(5 * r.count(len(r.b)/5))
	for i := 0; l.names && i < len(ids)/5; i++ {
		c.Names = append(c.Names, idAt(ids, i))
	}
	c.Symbols = l.symbols.take(r.count(r.left()/6), 2048) // six bytes each at least
	for i := range c.Symbols {
		s := &c.Symbols[i]
		if k := int(r.byte()); k < len(kindCodes) {
			s.Kind = kindCodes[k]
		}
		s.Line = c.Span.Start + r.count(1<<31)
		s.End = s.Line + r.count(1<<31)
		s.Indent = r.count(1 << 31)
		s.Name, s.Parent = r.string(), r.string()
	}
	return c.Span.End + 1
}
