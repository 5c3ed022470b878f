// Package worker brings projects up to date: it claims them from the queue and runs a handler on each.
//
// The daemon calls it. A run is held by a lease that is renewed while it lasts, is stopped when it makes no progress, and
// ends in exactly one of five ways:
//
//	no error      the handled items are done
//	Later         the claim is released for a while; no attempt is counted
//	other errors  an attempt is counted and the run repeated after a random delay; after MaxAttempts it is dead
//	Fatal         it is dead at once
//	lease lost    another worker has it; nothing is said to the queue
//
// One project never has two runs at once, not even when a handler does not end in time.
package worker
