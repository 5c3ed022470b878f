// Package search is the seam between contextd and its index: the manifest of what is indexed, the way to change it, and
// the nomination of candidates for a query.
//
// Two implementations stand behind it, search/local (own mapped segment files) and search/redisearch (Redis hashes and
// RediSearch indexes); the suite in searchtest holds both to the same promises. ingest writes through a [Writer],
// retrieve reads through a [Snapshot].
//
// An index only nominates. It finds the files worth scoring and hands out their feature blobs with the counts of the
// collection; package rank scores them, the same way whatever the backing.
package search
