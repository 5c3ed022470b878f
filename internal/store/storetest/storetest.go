// Package storetest holds the promises of store.Store as tests. Each implementation runs them against a real store, and
// its TestMain is Main, so that the tests can have other processes work on that store.
package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/contextd/contextd/internal/store"
)

// Place is an empty store that others can open, too.
type Place struct {
	Open  func() store.Store // one more handle; it closes with the test
	Where string             // what Main's open takes to open it in another process
}

// Run runs the suite. place makes an empty store.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for _, part := range [][]test{documentTests, nameTests, logTests, raceTests, crashTests} {
		for _, tt := range part {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				b := &bundle{T: t, Place: place(t)}
				b.Store = b.Open()
				tt.run(b)
			})
		}
	}
}

type test struct {
	name string
	run  func(b *bundle)
}

// bundle is one test's store with its first handle.
type bundle struct {
	*testing.T
	Place
	store.Store
}

var agent = store.Shelf{Bucket: "memory", Owner: "knight-1"}

func (b *bundle) ctx() context.Context { return b.Context() }

func (b *bundle) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) equal(what string, got, want any) {
	b.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		b.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// put writes documents of the agent's shelf, given as id, data, id, data, and returns the revision.
func (b *bundle) put(pairs ...string) int64 {
	b.Helper()
	var writes []store.Write
	for i := 0; i < len(pairs); i += 2 {
		writes = append(writes, store.Write{ID: pairs[i], Data: []byte(pairs[i+1])})
	}
	rev, err := b.Apply(b.ctx(), agent, writes...)
	b.ok(err)
	return rev
}

// docs are the documents of a shelf as "id=data", and its revision.
func (b *bundle) docs(sh store.Shelf) ([]string, int64) {
	b.Helper()
	all, rev, err := b.All(b.ctx(), sh)
	b.ok(err)
	var texts []string
	for _, d := range all {
		texts = append(texts, d.ID+"="+string(d.Data))
	}
	return texts, rev
}

func texts(entries []store.Entry) (all []string) {
	for _, e := range entries {
		all = append(all, string(e.Data))
	}
	return all
}
