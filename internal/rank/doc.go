// Package rank scores the files that an index nominated for a question.
//
// It is a pure function from feature blobs to explained scores: [Parse] reads the question, [Score] takes the counts of the
// collection and the candidates and returns them in order, best first, each with its best chunk, the contribution of
// every named feature and a relevance from 0 to 1. retrieve calls it, with the same blobs whatever the backing.
//
// The features and their weights stand in one table (weights.go). They follow the five-signal formula that was measured
// on the dev questions: BM25F over the ten best chunks, how well the file's stem and its definitions match, and exact
// names; the cosine of the best chunk stands beside them.
package rank
