// Package worker refreshes projects: it claims them from the queue and runs a handler on each.
//
// The daemon calls it. A run is held by a lease that is renewed while it lasts, is stopped when it makes no progress,
// and ends in exactly one of five ways:
//
//	no error      the handled items are done
//	RetryAfter    the claim is released for a while; no attempt is counted
//	other errors  an attempt is counted and the run repeated with backoff; after MaxAttempts it is a dead letter
//	Fatal         it is a dead letter at once
//	lease lost    another worker has it; the queue is not told
//
// One project never has two runs at once, not even when a handler does not end in time.
package worker
