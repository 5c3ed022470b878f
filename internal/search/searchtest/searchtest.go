// Package searchtest is the suite that every implementation of search.Index passes.
//
// A backing's own tests call [Run] (and [RunNames] for its name index) with a function that sets up an empty store. The
// suite knows nothing of how a backing stores things: what it checks is what package search promises and what ingest
// and retrieve rely on, above all that an index reached by many small changes answers exactly as one built in one go.
package searchtest

import (
	"testing"

	"github.com/contextd/contextd/internal/search"
)

// Setup makes an empty store for one test. Each call of open gives another handle to it, as another process would have;
// the suite closes them.
type Setup func(t *testing.T) (open func() search.Index)

type test struct {
	name string
	run  func(t *testing.T, s *store)
}

// Run holds a backing whose Mode is search.Full to all promises of package search.
func Run(t *testing.T, setup Setup) {
	for _, list := range [][]test{recordTests, attachTests, writeTests, namedTests, nextTests, nextLockTests, lockTests, nominateTests, nextAnswers, randomTests} {
		run(t, setup, list)
	}
}

// RunNames holds a backing whose Mode is search.Names to those promises that do not need words and vectors.
func RunNames(t *testing.T, setup Setup) {
	for _, list := range [][]test{recordTests, attachTests, writeTests, namedTests, nextTests, nextLockTests, lockTests, namesTests} {
		run(t, setup, list)
	}
}

func run(t *testing.T, setup Setup, list []test) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &store{t: t, open: setup(t)}
			s.Index = s.handle()
			c.run(t, s)
		})
	}
}
