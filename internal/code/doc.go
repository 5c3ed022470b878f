// Package code is the vocabulary that all of contextd speaks: paths, spans, hashes, symbols, chunks and files.
//
// Every other package imports it and it imports none, so a value of these types may travel from the walk of a
// sandbox through the chunker, the analyzer and the index to the ranker without a translation on the way.
// All of it is plain data; the functions here are pure.
package code
