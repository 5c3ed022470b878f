// Package gates decides whether a candidate may stand in an answer.
//
// retrieve calls it for each candidate in rank order, with the facts that it gathered, and keeps the reason of each
// rejection for the receipt. The package is pure: it opens no file and keeps no state but the [Budget] of one answer.
//
// The gates stand in a fixed order and the first that fails gives the reason: first what makes an answer wrong or
// unsafe, then what makes it useless, last what makes it too long.
//
//   - outside_root: the path leaves the root, links resolved
//   - missing: there is no such regular file
//   - binary: the file is no text
//   - stale: the file is not the indexed one, and was not analyzed again
//   - secret: the file holds a secret
//   - excluded: a rule of the root leaves the file out
//   - below_threshold: the candidate is not relevant enough, or one more guess than is wanted
//   - cap_results: the answer is full
//   - cap_bytes: the text does not fit into what is left of the answer
//   - duplicate: the answer holds the same text of the same file already
//
// A fact that was not gathered fails: the zero [Facts] are outside_root.
//
// # Add a gate
//
// A gate is a row of the table in gates.go, with a reason of its own and a fact in [Facts] that package retrieve
// gathers. docs/DEVELOPMENT.md, "Add a gate", has the steps; tests name each place that still lacks the reason.
package gates
