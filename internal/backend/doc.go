// Package backend opens the store that the settings choose: Redis, or files in the state directory.
//
// Both commands get their index, queue and knowledge of daemons (package presence) from it, so nothing else asks which
// backing there is. It opens lazily: a command that only looks makes no file, and SQLite is not touched until the queue
// is used.
//
// A store on several Redis servers is a Backend for each, whole and unchanged, and one over them: its index, queue and
// documents choose the server by the project (package servers). A question to all of them is answered by those that
// are up, with a *servers.Fault that tells whom the rest concerns.
//
// # State directory
//
//	daemon.lock   held by "indexer run" for its life, whatever the backing (flock)
//	daemon.json   the daemon that holds it: owner, backing, roots (package presence)
//	held.lock     held by that daemon while the store does not take the changes that it knows of (flock); of each of several servers held-HASH.lock
//	projects/     the embedded index (package search/local)
//	queue.db      the embedded queue (package queue/sqlite)
//	documents.db  what is remembered, embedded (package store/sqlite); documents.db.bad-TIME are damaged ones that were set aside
//	audit/        every completed task of a project, for ever (package history), whatever the backing
//	gone.json     projects whose roots are missing, and since when
//	once/         empty files: when something was done that is done once in a while
//	queried/      when a project was brought and last queried (package eviction)
//	vectors.db    vectors that indexes share (package vectors)
//
// # Redis
//
//	P:daemons     sorted set: a daemon's JSON (owner, host, roots) by the server's time at which it counts as gone (package presence)
//	P:doc:, P:rev:, P:owners:, P:log:   what is remembered (package store/redis)
//	P:gone        hash: project → JSON of its missing root and since when
//	P:uses, P:sizes   what is noted of projects for eviction (package eviction)
//	P:removed     channel: the id of each project that somebody removed
//	P:once:<key>  exists while something that is done once in a while was done lately
package backend
