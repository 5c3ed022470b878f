// Package presence tells which daemons serve a store, so that a question knows whether somebody else keeps its project
// fresh.
//
// A daemon is a running "indexer run". It says that it is there every [RegisterEvery], and counts as gone when it has
// not done so for [RegisterFor]: one that hangs keeps nothing fresh. Which roots it may serve, [Covers] tells, and
// which of them it keeps fresh by itself, [Watches].
//
// # In a state directory
//
// At most one daemon has a state directory, whatever its backing: [Hold] locks daemon.lock for its life and writes
// daemon.json, whose time [Held.Renew] sets. The lock decides, for it ends with its process; a daemon.json that a crash
// left behind is no daemon. A daemon whose directory was removed or replaced under it takes the new one, unless another
// daemon has it. Only the files at the path count, so each look compares the locked file with the one that stands
// there.
//
// # On Redis
//
// Many daemons may serve one Redis. A [Registry] is a sorted set: the daemon's JSON by the time, on the server's clock,
// from which it counts as gone. What a daemon remembers of its last registration, its [Mark], shows it a store that was
// flushed or replaced. Entries stay for a day, so that a daemon that was only stopped finds its own.
//
// # Changes that are held back
//
// A daemon that knows of changes which the store does not take locks held.lock ([MarkHeldBack]), and those who look see
// that the index is behind ([HeldBack]). Nothing is written for it: the disk may be the one that is full.
package presence
