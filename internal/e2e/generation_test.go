//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// Both ways of docs/API.md, "Read your writes", by which a writer learns a generation that another process then asks
// for.
func TestReadersSeeWritesByTheGenerationThatAWriterLearnt(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		sees := func(generation int64, name, path string) {
			s.Helper()
			found, err := s.api.Search(s.Context(),
				client.SearchRequest{Query: name, Project: shop, MinGeneration: generation, DeadlineMS: 10_000})
			s.ok(err)
			if len(found.Results) == 0 || found.Results[0].Path != path || found.Generation < generation ||
				len(found.Reasons) > 0 {
				s.Errorf("search from generation %d: %+v", generation, found)
			}
			c, err := s.api.Context(s.Context(), client.ContextRequest{Query: name, Project: shop, Agent: "squire-1",
				MinGeneration: generation, DeadlineMS: 10_000})
			s.ok(err)
			if !strings.Contains(c.Messages[len(c.Messages)-1].Content, path) || len(c.Reasons) > 0 {
				s.Errorf("context from generation %d: %v %+v", generation, c.Reasons, c.Messages)
			}
			r := s.bundle.ask(name, "--project", shop, "--no-index", "--min-generation", fmt.Sprint(generation),
				"--deadline", patient)
			if !r.Has(path) || r.Generation < generation || len(r.Reasons) > 0 {
				s.Errorf("query from generation %d: %+v", generation, r)
			}
		}

		s.write("quay.go", "package quay\n\n// RollBarrel rolls a barrel.\nfunc RollBarrel() {}\n")
		by, err := s.api.Refresh(s.Context(), shop, "", "quay.go")
		s.ok(err)
		if by != "daemon" {
			s.Errorf("refresh by %q", by)
		}
		var p *client.Project
		s.eventually(func() (err error) {
			if p, err = s.api.Project(s.Context(), shop); err == nil && p.Pending > 0 {
				err = fmt.Errorf("not applied: %+v", p)
			}
			return err
		})
		sees(p.Generation, "RollBarrel", "quay.go")

		s.write("mole.go", "package mole\n\n// FeedGulls feeds the gulls.\nfunc FeedGulls() {}\n")
		written := s.index("--project", shop)
		if written.Generation <= p.Generation {
			s.Errorf("index: %+v after generation %d", written, p.Generation)
		}
		sees(written.Generation, "FeedGulls", "mole.go")

		never := fmt.Sprint(written.Generation + 1)
		r := s.bundle.ask("FeedGulls", "--project", shop, "--no-index", "--min-generation", never, "--deadline", "1s")
		if r.Status != "degraded" || !r.Has("mole.go") || !slices.Contains(r.Reasons, "generation_behind") {
			s.Errorf("a generation that nobody commits: %+v", r)
		}
		for _, flags := range [][]string{
			{"--min-generation", "-1"},
			{"--min-generation", "1", "--root", s.root, "--root", s.TempDir()},
			{"--min-generation", "1", "--git", "HEAD"},
		} {
			refused(s.bundle, append([]string{"query", "FeedGulls"}, flags...)...)
		}
		refused(s.bundle, "context", "--query", "FeedGulls", "--min-generation", "-1")
	})
}

// refused wants the retriever to name the flag as what is wrong.
func refused(b *bundle, args ...string) {
	b.Helper()
	r, err := b.Exec("retriever", args...)
	if b.ok(err); r.Code != 2 || !strings.Contains(r.Err, "--min-generation") || !strings.Contains(r.Err, "want") {
		b.Errorf("%q: %v", args, r)
	}
}
