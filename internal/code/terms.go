package code

// ChunkTerms calls visit with each term that the text of one of the wanted chunks holds, in its code or its comments, by
// term. It reads a blob of EncodeFeatures.
func ChunkTerms(blob string, want func(chunk int) bool, visit func(chunk int, id TermID)) error {
	r := blobReader{b: blob}
	chunks, ids := r.head()
	if r.bad {
		return damaged(blob, "%d bytes are too few for its terms", len(blob))
	}
	terms := len(ids) / 5
	lens := r
	for range terms {
		r.uvarint()
	}
	for i := range terms {
		n := lens.count(r.left())
		if r.bad || lens.bad {
			return damaged(blob, "it ends at term %d of %d", i+1, terms)
		}
		p := blobReader{b: r.b[:r.at+n], at: r.at}
		r.at += n
		for chunk := 0; p.left() > 0; {
			step := p.uvarint()
			chunk += int(step >> 1)
			inText := true
			if step&1 != 0 {
				mask := p.byte()
				inText = mask&(1<<Body|1<<Comment) != 0
				for k := range NumFields {
					if mask&(1<<k) != 0 {
						p.uvarint()
					}
				}
			}
			if p.bad || chunk < 0 || chunk >= chunks {
				return damaged(blob, "the postings of term %d of %d", i+1, terms)
			}
			if inText && want(chunk) {
				visit(chunk, idAt(ids, i))
			}
		}
	}
	return nil
}
