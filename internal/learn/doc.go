// Package learn moves numbers of a profile by how the tasks of a project ended.
//
// An [Observation] is what the contexts of one task looked like, measured once for each number that can move, and
// whether the task succeeded. [Adjust] compares, among the tasks of one kind of agent under one profile, those whose
// contexts had much of what a number governs with those that had little. Tasks are compared only within the same mode
// and complexity: that hard tasks need more code and fail more often says nothing about code.
//
// # Bounds
//
//   - Below [MinOutcomes] observations nothing moves.
//   - The rates of success are shrunken to the common one, and of their difference counts only what is beyond three standard errors.
//   - A number moves by at most [MaxMove] of the profile's own value, whatever was learnt before, and never out of its range.
//
// Equal observations give equal numbers: nothing here asks for the time or for chance.
//
// A [Ledger] keeps the observations of all projects in the store, each task once, so that what was learnt outlives the
// receipts that it was learnt from, and [Ledger.Reset] forgets them.
package learn
