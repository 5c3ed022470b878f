// Package store keeps documents and logs: what contextd remembers, which, unlike an index, cannot be made again from
// the disk.
//
// Documents lie in shelves. A shelf is what is read and written together: the memory of one agent, the history of one
// project. It has a name of two parts, the bucket (what kind of thing: "memory") and the owner (whose: an agent, a
// project), and a revision that grows with each change, so that who keeps a copy of a shelf asks for one number to know
// whether the copy still holds. A change of a shelf is all or nothing, and may be made to depend on the revisions of
// the documents that it replaces.
//
// A revision is the last one plus 1 or the time in microseconds, whichever is more: it grows though the clock is set
// back, and does not come again though the store is flushed or its file lost. The ids of a log's entries hold to the
// same rule.
//
// Logs are bounded lists that only grow at the end: events, receipts. What they must keep for ever is written to a file
// beside the store by whoever needs that.
//
// A change is on the disk when Apply returns, as far as the store can tell; those of a few buckets ([Relaxed]) survive
// the death of a process but perhaps not that of the machine.
//
// Who keeps values in documents reads and changes them by package shelves, which caches and retries for all.
//
// Two implementations, one behaviour (storetest): hashes and streams on Redis, tables in SQLite.
//
// # Add a store
//
// A store is a folder of its own here with one type that implements [Store] and passes storetest. docs/DEVELOPMENT.md,
// "Add a store", has the steps, and what else makes a whole backing of it.
package store
