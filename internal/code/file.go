package code

// Field is a part of a chunk whose words are counted apart.
type Field int

// The fields of a chunk. The order is stored: append only.
const (
	Body    Field = iota // code and string literals
	Comment              // comments and documentation strings
	Defs                 // names of the symbols defined in the chunk
	Context              // file stem, directories, names of the enclosing definitions
	NumFields
)

// TermID identifies a term: the low 40 bits of a 64-bit hash of its text (lexical.TermOf). Two of a million terms share
// an id with a chance of 5e-7 each; a collision only moves a count.
type TermID uint64

// TermIDBits is the width of a TermID.
const TermIDBits = 40

// Term is a searchable word with its letter prefix (see package lexical).
type Term struct {
	Text string
	ID   TermID
}

// TermFreq is a term of a chunk and how often each field holds it.
type TermFreq struct {
	Term Term
	TF   [NumFields]uint16
}

// AnalyzedChunk is a chunk with what search and ranking need of it.
type AnalyzedChunk struct {
	Chunk
	Terms []TermFreq     // distinct, in order of first occurrence
	Lens  [NumFields]int // tokens in each field
	Names []Term         // look-up terms: the names it defines and, in a file's first chunk, the file's stem
}

// File is an analyzed file.
type File struct {
	Path     Path
	Language string // lower-case name such as "go", "python"; "text" where no other fits
	Lines    int
	Umbrella bool            // it does nothing but include or re-export other files
	Chunks   []AnalyzedChunk // in order; empty for an empty file
}

// Lens is the number of tokens of each field over all chunks.
func (f *File) Lens() (sum [NumFields]int) {
	for i := range f.Chunks {
		for k, n := range f.Chunks[i].Lens {
			sum[k] += n
		}
	}
	return sum
}
