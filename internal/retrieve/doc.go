// Package retrieve answers a question from the index: one request in, one reply out, always.
//
// It opens the project, nominates and ranks candidates, and serves them in order: each is read from the disk and
// checked against the hash that was indexed; one that has changed is analyzed again in memory and ranked again. What
// fails on the way makes the reply a degraded one with a typed reason, never an error, and nothing is retried inside
// the deadline. Package retrieve writes nothing: who keeps the index fresh is asked through [Asker].
package retrieve
