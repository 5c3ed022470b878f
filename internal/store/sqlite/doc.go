// Package sqlite keeps documents and logs in one SQLite file that several processes open at once: the embedded default.
//
// Tables: shelf (bucket, owner, revision), doc (the documents of a shelf), entry (the entries of all logs). Names are
// blobs, so that they compare by bytes. A change is one transaction, on the disk when Apply returns; entries of logs
// and changes of relaxed buckets may be lost when the machine, not the process, dies. Reads run beside a write and see
// the state before or after it.
//
// The file holds what nothing can make again. One that is damaged is moved aside with its WAL as FILE.bad-TIME, never
// overwritten or removed, and a new one is begun; the call that met the damage says so (store.DamagedError), Aside
// lists what lies there. One with the layout of a newer version is an error and stays as it is.
//
// Layout 1: the first.
package sqlite
