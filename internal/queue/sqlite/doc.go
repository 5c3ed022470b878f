// Package sqlite is the queue of the embedded default: one SQLite file that daemon, producers and queries open at once.
//
// Tables: intake (messages as pushed), project (what waits or is claimed, one row each), pending (its paths), dead.
// A method is one short transaction. The file holds nothing that a reconcile walk would not find again, so one that is
// damaged is set aside as FILE.bad and rebuilt; Rebuilt tells. A file that another process replaced is opened again.
package sqlite
