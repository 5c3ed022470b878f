// Package blob packs what the index keeps of one file for the ranker, everything but its text, into bytes.
//
// [EncodeFeatures] writes a feature blob when a file is indexed; every backing stores the same bytes. A question reads
// a hundred of them: a [Lookup] opens only what its words need, [DecodeFeatures] and [LookupFeatures] read a single
// one. [ChunkTerms] visits the terms of some chunks. The layout is told at [Features]; a blob of another version, or
// one that is damaged, is [ErrFeatures].
//
// The functions are pure, and bound by the length of the blob whatever it holds.
package blob
