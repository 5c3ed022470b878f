package prompt

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/internal/retrieve"
)

func TestAContextWhoseCodeIsLateIsBehindTheGenerationAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		generation int64
		behind     bool
	}{{"none", 0, false}, {"one", 7, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked int64
				a := &Assembler{Code: answers(func(
					_ context.Context, req retrieve.Request, _ error,
				) (*retrieve.Reply, error) {
					asked = req.MinGeneration
					time.Sleep(time.Minute)
					return &retrieve.Reply{}, nil
				})}
				r, err := a.Build(t.Context(),
					Request{Project: "web", Query: "where is the lamp lit", MinGeneration: tt.generation})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour) // the search that was left behind
				synctest.Wait()
				if got := slices.Contains(r.Reasons, string(retrieve.GenerationBehind)); got != tt.behind ||
					asked != tt.generation {
					t.Errorf("reasons %v; generation %d was asked for", r.Reasons, asked)
				}
			})
		})
	}
}
