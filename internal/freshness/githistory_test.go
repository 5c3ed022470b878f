package freshness_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/githist"
)

func TestTheGitHistoryIsReadBehindTheAnswer(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "Open the gate at high tide"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = b.Root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	kept := func() int {
		blob, err := b.Backend.Index.Attached(t.Context(), b.Ask("OpenGate", access.Where{Root: b.Root}, freshness.Never).Project, githist.Kind)
		if err != nil {
			t.Fatal(err)
		}
		p, err := githist.Open(blob)
		if err != nil {
			return 0
		}
		return p.Notes()
	}
	b.Ask("OpenGate", access.Where{Root: b.Root}, freshness.First)
	if n := kept(); n != 0 {
		t.Errorf("%d notes before the answer was out", n)
	}
	b.Fresh.Afterwards(t.Context())
	if n := kept(); n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
}
