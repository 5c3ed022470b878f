package code

// ChunkTerms calls visit with each term that the text of a marked chunk holds, in its code or its comments, and with the marks
// of all chunks that do, joined. marks has a set of bits for each chunk of the file; a chunk without is left out. It reads a
// blob of EncodeFeatures.
func ChunkTerms(blob string, marks []uint32, visit func(id TermID, marks uint32)) error {
	r := blobReader{b: blob}
	chunks, ids := r.head()
	if r.bad {
		return damaged(blob, "%d bytes are too few for its terms", len(blob))
	}
	if len(marks) != chunks {
		return damaged(blob, "it has %d chunks, not %d", chunks, len(marks))
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
		set := uint32(0)
		for chunk := 0; p.at < len(p.b); {
			step := uint64(p.b[p.at])
			if step < 0x80 {
				p.at++
			} else {
				step = p.uvarint()
			}
			chunk += int(step >> 1)
			inText := true
			if step&1 != 0 {
				mask := p.byte()
				inText = mask&(1<<Body|1<<Comment) != 0
				for ; mask&(1<<NumFields-1) != 0; mask &= mask - 1 {
					p.uvarint()
				}
			}
			if p.bad || chunk < 0 || chunk >= chunks {
				return damaged(blob, "the postings of term %d of %d", i+1, terms)
			}
			if inText {
				set |= marks[chunk]
			}
		}
		if set != 0 {
			visit(idAt(ids, i), set)
		}
	}
	return nil
}
