package session

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/history"
)

func TestTheGitHistoryIsReadBehindTheAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "Open the gate at high tide"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = b.root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	kept := func() int {
		blob, err := b.Backend().Index.Attached(t.Context(), b.ask("OpenGate", access.Where{Root: b.root}, Never).Project, githist.Kind)
		if err != nil {
			t.Fatal(err)
		}
		p, err := githist.Open(blob)
		if err != nil {
			return 0
		}
		return p.Notes()
	}
	b.ask("OpenGate", access.Where{Root: b.root}, First)
	if n := kept(); n != 0 {
		t.Errorf("%d notes before the answer was out", n)
	}
	b.Afterwards(t.Context())
	if n := kept(); n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
}

func TestTasksThatSucceededAreNotes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if p := b.tasks(t.Context(), "p"); p != nil {
		t.Error("the store of documents was opened for a question alone")
	}
	h, err := b.History()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []history.Task{{ID: "1", Intent: "Raise the beacon", Success: true, ChangedFiles: []string{"beacon.go"}},
		{ID: "2", Intent: "Lower the beacon", ChangedFiles: []string{"broken.go"}}} {
		if _, err := h.Complete(t.Context(), "p", task); err != nil {
			t.Fatal(err)
		}
	}
	state, err := h.Load(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if n := notesOf(state.Tasks); len(n) != 1 || n[0].Text != "Raise the beacon" || !slices.Equal(n[0].Files, []string{"beacon.go"}) {
		t.Errorf("notes %+v", n)
	}
	if p := b.tasks(t.Context(), "p"); p == nil || p.Notes() != 1 {
		t.Error("the task is no note")
	}
}
