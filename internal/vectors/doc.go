// Package vectors keeps the vectors that an embedding server made, by what they were made of, in the store.
//
// Agents of one project work in clones and worktrees that hold the same files. Each root has an index of its own, and a
// server must not be asked, or paid, for the same text once for each. So a vector is kept under the hash of its text
// and embedder (see embed.KeyOf), and the next index takes it from there. What is kept is neither text nor path, and
// nothing tells whose it was.
//
// It is a cache: bounded in bytes, forgotten 30 days after its last use, and nobody waits for it to come back. On Redis
// it is two hashes:
//
//	P:vectors      hash: key → vector; what is put, and what of the other is used again
//	P:vectors:old  hash: key → vector; what P:vectors was when it last was half of the bound
//
// On the embedded backing it is the file vectors.db, whose least recently used eighth goes when it is over the bound.
package vectors
