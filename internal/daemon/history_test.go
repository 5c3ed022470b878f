package daemon

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
)

func TestTheHistoryOfARepositoryIsKept(t *testing.T) {
	both(t, func(b *bundle) {
		git := func(args ...string) {
			cmd := exec.Command("git", args...)
			cmd.Dir = b.root
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
				"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
				"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
		notes := func(want int) func() string {
			return func() string {
				blob, err := b.back.Index.Attached(b.t.Context(), code.DefaultProjectID(b.root), githist.Kind)
				if err != nil {
					return err.Error()
				}
				if p, err := githist.Open(blob); err != nil && want > 0 || err == nil && p.Notes() != want {
					return "another number of notes"
				}
				return ""
			}
		}
		git("init", "-q", "-b", "main")
		git("add", "-A")
		git("commit", "-q", "-m", "Raise the alpha")
		_, stop := b.start(func(o *Options) { o.ReconcileInterval = 100 * time.Millisecond })
		b.eventually("one note", notes(1))
		b.write("b.go", "package a\n\nfunc Beta() {}\n")
		git("add", "-A")
		git("commit", "-q", "-m", "Lower the beta")
		b.eventually("two notes", notes(2))
		stop()
	})
}
