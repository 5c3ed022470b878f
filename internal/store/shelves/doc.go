// Package shelves reads and changes shelves of documents as values: what every package that remembers does with a
// store, done once.
//
// [Update] is the loop of optimistic writers: ask for the changes, apply them if nothing that they depend on has
// changed, else ask again, at most 100 times with a random pause between. Whatever changes a shelf on a condition does
// it by Update, so two writers lose nothing, and what is said when the tries run out reads the same everywhere.
//
// A [Doc] is one document with its codec. A [Cache] is a kind of shelf that is read as a whole, parsed, and held until
// its revision is another: reading what is held costs one small question to the store. Writers of one process that
// share a Cache wait for each other and do not collide.
//
// What a document means, what of it may be dropped and what a damaged one counts for is the caller's business.
package shelves
