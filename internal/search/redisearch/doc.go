// Package redisearch keeps the index in Redis: hashes for what is known of each file, RediSearch to nominate.
//
// It implements search.Index and passes the suite of package searchtest. RediSearch finds chunks by word, by name and
// by vector; everything that is scored comes from the same feature blobs and quantised vectors that search/local keeps.
// No source text is stored.
//
// # Keys
//
// P is the prefix, pid the project, ver one build of its index (a hash of what it was made with and a random part).
//
//	P:projects           set: the projects that have a record
//	P:project:pid        hash, the record: fmt, root, gen, epoch, at (ns), embedder, dims, analyzer, ver, idx, mode, failed,
//	                     dirty (a file changed since the last commit), seq (number of the last change), files, chunks, bytes, len0…len3, rows;
//	                     of the build to come, if there is one: next (its ver), nextmode, nextembedder, nextdims, nextanalyzer, nextfiles, nextchunks
//	P:a:pid              hash, what is attached: sum, blob (the history of the project); sum:KIND, blob:KIND of other kinds
//	P:vers:pid           set: the builds of which something may be stored
//	P:write:pid          string, the lock of the build that serves: owner and token, expiring
//	P:next:pid           string, the lock of the build to come, in the same form; removed with that build
//	P:f:pid:ver          hash, the manifest: path → file entry with the ids of its chunks (see entry.go)
//	P:b:pid:ver          hash: path → feature blob and quantised vectors (see blob.go)
//	P:n:pid:ver          hash, the name index: path → language, terms of its name and its first 100 characters (see names.go)
//	P:c:pid:ver:id       hash, one chunk: p path, lang, fid and dirs (tags), w1, w2, w4 (words: chunk.go), vec (floats of the build's form: form.go)
//	P:j:pid:ver          set: chunks written ahead of their file's entry, because it has too many for one script
//	P:i:pid:ver[:hnsw]   the RediSearch index over P:c:pid:ver:, in large compact builds :words and :graph (see parts.go)
//
// # The order of a write
//
// A file is changed by one script, which checks the lock of the build, writes the file's new chunks, switches its entry and
// blob and unlinks the chunks that fell away. A chunk's id is a hash of what it holds, so that an unchanged chunk is
// never written again. The entry is the switch: a hit on a chunk that the entry does not list is ignored.
//
// A build from nothing whose size is expected gets its FT index before its hashes (live.go): FLAT, or above 60,000 chunks
// that of words. Any other writes its hashes without an index; its first commit creates it, when the number of chunks is
// known (below 30,000 FLAT, else HNSW), and waits until the server has read the hashes. The commit switches the record
// and drops the build before. A FLAT index that grew past 60,000 is replaced. What a dead process left half-built is
// dropped by the next writer, unless the record names it as the build to come: then the next writer of that goes on with
// it. One that has grown large gets its graph while it is built.
//
// Chunks are indexed by the server's one thread while others wait, so a writer sends little at once: pace.go.
//
// Without RediSearch (or by choice) chunks are not written and queries match the name index in process: search.Names.
// The record says in which mode a build was made; another mode rebuilds it.
package redisearch
