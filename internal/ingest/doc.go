// Package ingest refreshes the index of one project: it makes the index equal to the files on disk.
//
// A refresh walks the root (or only the named paths), joins what stands there with the manifest, reads, analyzes and
// embeds what is new or changed on all cores, and hands it to the index in path order from one goroutine. The worker
// calls it for queued requests, the one-shot commands call it directly. It is idempotent: whatever was done before a
// crash is found done, the rest is repeated.
package ingest
