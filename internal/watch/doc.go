// Package watch tells what changes in the files of roots.
//
// A [Watcher] follows one folder for each call of Watch, through restarts of its life: it may be replaced, go away and
// come back. It puts a watch of the system on each folder that a walk enters, gathers events into batches, and reports
// the paths that matter by the rules of package sandbox, or asks for a rescan when any file may have changed. Where the
// system gives no more watches it says so once and walks the root every few seconds; [Watcher.Coverage] tells which.
//
// Events are hints: who is told has to look at the files.
package watch
