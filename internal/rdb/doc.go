// Package rdb opens Redis for the rest of contextd and tells what its errors mean.
//
// The queue and the index on Redis go through it. It holds the three ways in which they talk to a server (a query with
// a hard deadline, a worker that may wait, a reader that blocks) and one table from a server's error texts, which
// differ by product and version, to the few classes that callers act on; [AskFacts] tells what a server says of itself.
// Every client speaks RESP2 to database 0.
package rdb
