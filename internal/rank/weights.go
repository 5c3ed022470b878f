package rank

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The features of a file, in the order of weights.txt, which says what each is.
const (
	words = iota
	bestChunk
	likelihood
	comments
	stem
	stemExact
	stemNear
	dirs
	dirsNear
	definition
	definitions
	asFunc
	asType
	symbolDef
	symbolStem
	pathNamed
	cosine
	cosineFile
	cosineTop
	testFile
	example
	outdated
	platform
	prose
	data
	declarations
	depth
	cited
	history
	company
	coverage
	pairs
	docShare
	numFeatures
)

// Feature names one signal of a file's score.
type Feature struct {
	Name    string
	Weights [numShapes]float64
	Doc     string
}

// Features lists the features with their weights.
func Features() []Feature { return features()[:] }

//go:embed weights.txt
var weightsText string

// weightsVersion is the version of weights.txt that this code computes the features of.
const weightsVersion = 6

var features = sync.OnceValue(func() *[numFeatures]Feature {
	f, err := parseWeights(weightsText)
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return f
})

// parseWeights reads a table of features: "#" comments, a line "version N", then for each feature its name, a weight a
// shape and a line of doc.
func parseWeights(text string) (*[numFeatures]Feature, error) {
	var out [numFeatures]Feature
	n := 0
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(line, "#"):
			continue
		case f[0] == "version":
			if len(f) != 2 || f[1] != strconv.Itoa(weightsVersion) {
				return nil, fmt.Errorf("weights: %q: want version %d", strings.TrimSpace(line), weightsVersion)
			}
			continue
		case len(f) < 2+int(numShapes) || n == numFeatures:
			return nil, fmt.Errorf("weights: line %q: want %d features of a name, %d weights and a doc",
				strings.TrimSpace(line), numFeatures, numShapes)
		}
		out[n].Name, out[n].Doc = f[0], strings.Join(f[1+numShapes:], " ")
		for k := range numShapes {
			w, err := strconv.ParseFloat(f[1+k], 64)
			if err != nil {
				return nil, fmt.Errorf("weights: feature %q: %w", f[0], err)
			}
			out[n].Weights[k] = w
		}
		n++
	}
	if n != numFeatures {
		return nil, fmt.Errorf("weights: %d features, want %d", n, numFeatures)
	}
	return &out, nil
}

// BM25F: saturation, and weight and length normalisation of each field.
const k1 = 1.5

var fieldWeight = [...]float64{1, .7, 2, 1.5}
var fieldNorm = [...]float64{.5, .5, .3, .3}

// relatedWeight is what an occurrence of a word of the thesaurus counts for the word that it stands in for. Tasks and
// names say what they mean.
var relatedWeight = [numShapes]float64{Question: .2, Asked: .2, Keywords: .2}

// How a file's chunk is chosen: its words, its definitions (weight 1) and its vector.
const showWords = 2.5

var showCosine = [numShapes]float64{.6, .1, .6, .6, .6, .6}

// maxDepth is the number of directories from which a file is no deeper.
const maxDepth = 6
