//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestKilledMasterOfSentinelsIsOutlived: queue, search and documents go on at the replica. What only the master had, an
// index of a new file, is made again by the next comparison; what was remembered before and replicated is there.
func TestKilledMasterOfSentinelsIsOutlived(t *testing.T) {
	t.Parallel()
	s := rdbtest.Watched(t, rdbtest.Search)
	b := newBundle(t, s.Master)
	b.Redis = s.URL
	remembers := func(text string) {
		t.Helper()
		b.eventually(func() error {
			r, err := b.Exec("retriever", "memory", "list", "--agent", "a", "--project", "p", "--json")
			if err == nil && (r.Code != 0 || !strings.Contains(r.Out, text)) {
				err = &missing{r}
			}
			return err
		})
	}
	save := func(text string) {
		t.Helper()
		b.eventually(func() error {
			r, err := b.Exec("retriever", "memory", "save", text, "--kind", "fact", "--agent", "a", "--project", "p")
			if err == nil && r.Code != 0 {
				err = &missing{r}
			}
			return err
		})
	}
	d := b.ready()
	save("The harbour opens at nine.")
	s.Replicated(t)
	s.Replica.Pause(t) // what follows reaches the master alone
	b.tree(20, 21, 0, 20)
	b.finds(e2etest.Question(20), e2etest.SourceName(20))
	s.Master.Kill(t)
	s.Replica.Resume(t)
	s.Failover(t)
	b.finds(e2etest.Question(20), e2etest.SourceName(20))
	remembers("opens at nine")
	save("The harbour closes at five.")
	remembers("closes at five")
	b.tree(21, 22, 0, 20)
	b.finds(e2etest.Question(21), e2etest.SourceName(21))
	b.ok(d.Ready(soon))
	b.fresh(questions(0, 22)...)
}

// missing is a command that did not say what was wanted of it.
type missing struct{ r *e2etest.Result }

func (m *missing) Error() string { return m.r.String() }
