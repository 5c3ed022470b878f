package code

import "fmt"

// ChunkTerms calls visit with each term that the text of one of the wanted chunks holds, in its code or its comments, by
// term. It reads a blob of EncodeFeatures.
func ChunkTerms(blob []byte, want func(chunk int) bool, visit func(chunk int, id TermID)) error {
	r := blobReader{b: string(blob)}
	if v := r.byte(); r.bad || v != featuresVersion {
		return fmt.Errorf("%w: version %d, want %d", ErrFeatures, v, featuresVersion)
	}
	chunks, terms := r.count(len(blob)/minChunk), r.count(len(blob)/5)
	ids := blob[len(blob)-len(r.b):]
	r.take(terms * 5)
	lens := blobReader{b: r.b}
	for range terms {
		r.uvarint()
	}
	for i := range terms {
		p := blobReader{b: r.take(lens.count(len(r.b)))}
		if r.bad || lens.bad {
			return fmt.Errorf("%w: it ends at term %d of %d", ErrFeatures, i+1, terms)
		}
		chunk := 0
		for len(p.b) > 0 {
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
				return fmt.Errorf("%w: the postings of term %d of %d", ErrFeatures, i+1, terms)
			}
			if inText && want(chunk) {
				visit(chunk, idAt(ids, i))
			}
		}
	}
	return nil
}
