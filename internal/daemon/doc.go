// Package daemon implements "indexer run": it drains the queue, refreshes projects, watches roots and reconciles
// indexes with the disk.
//
// [Run] starts one goroutine a duty and ends when all have ended:
//
//	drain       messages of the intake → checked by accept → the pending set
//	work        pending projects → ingest, by package worker
//	watch       file events of each watched root → requests
//	reconcile   disk ≠ index, a flushed or replaced store, roots that came or went → requests
//	resume      next versions that were put off while the embedder was down → requests
//	present     tells others that this daemon lives, and which roots it may serve
//	removals    projects that somebody removed are not asked for again, whatever becomes of the store
//	serve       /metrics, /healthz, /readyz
//
// The daemon starts without its backend and waits for it; each duty has its own backoff. Whatever is lost on the way,
// an event, a message, the store itself, the next reconciliation finds on disk.
package daemon
