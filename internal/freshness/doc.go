// Package freshness decides who indexes a project and when, for those who ask about it.
//
// # Who indexes
//
// A question leaves an index with the embedder that it was made with, whatever the settings are; "index" and the daemon
// change that. Only on the embedded backing, and only where no live daemon covers the root, does a process that answers
// index at all. A command does it before it answers ([First]). A server never keeps a prompt waiting for that: it
// answers from the generation that is there, each snippet verified against the disk, while the index is brought up to
// date behind the answer ([Behind]); with no generation yet it waits for one until the deadline, then says so
// ([Building]). Behind answers a project is indexed by one run at a time, and a run that took t is not repeated within
// 100 t, nor within a second.
//
// # One question
//
// [Keeper.Ready] comes before the answer, in one of three ways:
//
//	embedded, First   prepare: refresh, unless a daemon watches the root
//	embedded, Behind  behind: compare with the disk, or begin the first run and wait for it
//	Redis             compare, where a daemon covers the root without watching it; what differs it is asked to refresh
//
// It returns a [Look], which goes along with the answer: [Look.Reach] waits for a generation that the caller knows of,
// [Look.Whole] tests beside it whether the store has lost parts of the index, [Look.Nothing] compares before "nothing
// relevant" is said, where the question has not been compared for already. What is to be said against an answer is a [Note]; the package knows neither questions nor
// replies.
package freshness
