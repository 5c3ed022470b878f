package blob

import "github.com/contextd/contextd/internal/code"

// ChunkTerms calls visit with each term that the text of a marked chunk holds, in its code or its comments, and with
// the marks of all chunks that do, joined. marks has a set of bits for each chunk of the file; a chunk without is left
// out. It reads a blob of EncodeFeatures.
func ChunkTerms(blob string, marks []uint32, visit func(id code.TermID, marks uint32)) error {
	r := blobReader{b: blob}
	h := r.head()
	directory, low := r.index(&h)
	if r.bad {
		return damaged(blob, "%d bytes are too few for its terms", len(blob))
	}
	if len(marks) != h.chunks {
		return damaged(blob, "it has %d chunks, not %d", h.chunks, len(marks))
	}
	term := 0
	for bucket := range h.buckets {
		n, size := directory.uvarint(), directory.count(r.left())
		if directory.bad || n > uint64(h.terms-term) {
			return damaged(blob, "it ends at term %d of %d", term+1, h.terms)
		}
		p := blobReader{b: r.b[:r.at+size], at: r.at}
		r.at += size
		for range n {
			if set := p.marked(marks); p.bad {
				return damaged(blob, "the postings of term %d of %d", term+1, h.terms)
			} else if set != 0 {
				visit(code.TermID(bucket)<<h.width|code.TermID(low.get(term)), set)
			}
			term++
		}
	}
	return nil
}

// marked reads the postings of a term and gives the marks of the chunks whose text holds it.
func (r *blobReader) marked(marks []uint32) (set uint32) {
	for chunk := 0; ; chunk++ {
		if r.at >= len(r.b) {
			r.fail()
			return 0
		}
		b := r.b[r.at]
		r.at++
		form := &postingCodes[b]
		chunk += int(form.gap)
		inText := form.tf[code.Body]|form.tf[code.Comment] != 0
		if form.more != 0 {
			tf := form.tf
			if form.more&moreGap != 0 {
				chunk += r.gap()
			}
			if form.more&moreCounts != 0 {
				r.counts(&tf)
			}
			inText = tf[code.Body]|tf[code.Comment] != 0
		}
		if r.bad || chunk >= len(marks) {
			r.fail()
			return 0
		}
		if inText {
			set |= marks[chunk]
		}
		if b&1 != 0 {
			return set
		}
	}
}
