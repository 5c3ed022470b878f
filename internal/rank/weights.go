package rank

// Feature names one signal of a file's score.
type Feature struct {
	Name     string
	Doc      string
	Question float64 // weight when the question is a text
	Symbol   float64 // weight when the question is one name
}

// The features of a file, each from 0 to about 1.
var features = [...]Feature{
	{"words", "BM25F of its ten best chunks, the k-th divided by k, as a share of what the question could give at most", 1, 1},
	{"stem", "how much of the question stands in the file's stem, and of the stem in the question", .6, .6},
	{"definition", "its best definition: share of the question in the name times the root of the name's share that matches", .5, .5},
	{"stem_exact", "the whole stem stands in the question", .3, .3},
	{"symbol", "it defines the very name that is asked for", .5, .5},
	{"cosine", "cosine of its best chunk with the question; 0 without vectors", .6, .1},
}

const (
	words = iota
	stem
	definition
	stemExact
	symbolDef
	cosine
	numFeatures
)

// BM25F: saturation, and weight and length normalisation of each field.
const k1 = 1.5

var fieldWeight = [...]float64{1, .7, 2, 1.5}
var fieldNorm = [...]float64{.5, .5, .3, .3}
