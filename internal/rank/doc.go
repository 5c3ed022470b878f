// Package rank scores the files that an index nominated for a question.
//
// It is a pure function from feature blobs to explained scores: [Parse] reads the question, [Score] takes the counts of
// the collection and the candidates and returns them in order, best first, each with its best chunk, the contribution
// of every named feature and a relevance from 0 to 1. retrieve calls it, with the same blobs whatever the backing.
//
// A score is a weighted sum. The features and their weights stand in one table, weights.txt, a column for each [Shape]
// of question: words about code, one name, a task to do, a long text. tools/train fits the numbers; the features are
// made here:
//
//	scorer.go   words of chunks and of the whole file, vectors
//	cosines.go  cosines of an embedder that the weights were not fitted to
//	names.go    the file's name and directories, and what other forms of a word count there
//	defs.go     definitions, and names in the shape of code
//	prior.go    what a path alone tells: examples, older copies, texts, data; tests.go: tests
//	cite.go     what the best chunks of all name
//	company.go  who stands in the same part of the tree
//	pairs.go    adjacent words that stand as one name
//	everyday.go what everyday phrases are in the words of code
//	correct.go  words that are misspelt
//	further.go  other chunks of a file that are worth showing
//	quote.go    texts that the question may quote; no score depends on it
//	occurrence.go  words that stand nowhere, and where words stand in a text; no score depends on it
//	vocabulary.go  names taken apart, kept from one question to the next; no score depends on it
//
// Most look at one file only. "best_chunk", "outdated", "cited", "company" and the shares of "func", "type" and
// "symbol" compare the candidates: two backings that nominate other files far down the list could differ in them by a
// hair. From the order, relevance.go says how likely each candidate answers, and named.go where the question is one
// name.
package rank
