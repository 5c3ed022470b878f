package code

// Stats are the counts of a collection that the scores of its files depend on.
type Stats struct {
	Files  int
	Chunks int
	Lens   [NumFields]int64 // tokens of each field over all chunks
	DF     []int            // for each word of a query, the number of chunks that hold it in any field
}
