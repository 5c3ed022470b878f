//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// told asks once and wants the file, or a reason why it may be missing: never a plain "nothing relevant".
func (b *bundle) told(root, question, path string, flags ...string) {
	b.Helper()
	r, err := b.Query(root, question, flags...)
	b.ok(err)
	if !r.Has(path) && len(r.Reasons) == 0 {
		b.Errorf("%q in %q right after a write: %s without a reason", question, root, r.Status)
	}
	b.eventually(func() error {
		r, err := b.Query(root, question, "--deadline", "5s")
		if err == nil && (!r.Has(path) || r.Status != "ok" || len(r.Reasons) > 0) {
			err = fmt.Errorf("%q: %s %q", question, r.Status, r.Reasons)
		}
		return err
	})
}

func TestADaemonPromisesFreshnessOnlyForWhatItWatches(t *testing.T) {
	both(t, func(b *bundle) {
		watched := filepath.Join(b.root, "watched")
		roots := []string{filepath.Join(b.root, "alone"), filepath.Join(watched, "sub"),
			filepath.Join(watched, "nested"), filepath.Join(watched, "trees", "agent")}
		for _, dir := range append(roots[:3:3], watched) {
			b.ok(e2etest.Write(dir, "start.go", "package start\n\nfunc RaiseAnchor() {}\n"))
		}
		for _, dir := range []string{roots[2], watched} {
			b.ok(e2etest.Git(dir, "init", "-q"))
		}
		b.ok(e2etest.Write(watched, ".gitignore", "nested/\n"))
		b.ok(e2etest.Commit(watched, "start"))
		b.ok(e2etest.Git(watched, "worktree", "add", "-q", roots[3]))
		b.daemon("--allow-root", b.root, "--watch", watched)
		for i, root := range roots {
			b.ok(b.World.Finds(soon, root, "RaiseAnchor", "start.go"))
			name := fmt.Sprintf("Lower%cLifeboat", 'A'+i)
			b.ok(e2etest.Write(root, "boats.go", "package start\n\nfunc "+name+"() {}\n"))
			b.told(root, name, "boats.go", "--deadline", "1s")
			b.ok(os.Remove(filepath.Join(root, "start.go")))
			b.ok(e2etest.Write(root, "deck/swab.go", "package deck\n\nfunc Swab"+name+"() {}\n"))
			b.told(root, "Swab"+name, "deck/swab.go")
		}
		b.ok(e2etest.Write(watched, "mast.go", "package start\n\nfunc ClimbMast() {}\n"))
		b.told(watched, "ClimbMast", "mast.go")
	})
}

func TestWhatRedisLostOfAnUnwatchedProjectIsSaidAndMadeAgain(t *testing.T) {
	b := onRedis(t)
	b.write("start.go", "package start\n\nfunc RaiseAnchor() {}\n")
	b.write("boats.go", "package start\n\nfunc LowerLifeboat() {}\n")
	b.daemon("--allow-root", b.root)
	b.finds("RaiseAnchor", "start.go")
	c := b.redis.Client(t)
	keys := func(pattern string) []string {
		all, err := c.Keys(t.Context(), b.Prefix+pattern).Result()
		b.ok(err)
		if len(all) == 0 {
			b.Fatalf("no key %q", pattern)
		}
		return all
	}
	for _, lost := range []string{"files", "blobs", "a chunk", "index"} {
		switch lost {
		case "files":
			b.ok(c.Del(t.Context(), keys(":f:*")...).Err())
		case "blobs":
			b.ok(c.Del(t.Context(), keys(":b:*")...).Err())
		case "a chunk":
			b.ok(c.Del(t.Context(), keys(":c:*")[0]).Err())
		case "index":
			names, err := c.Do(t.Context(), "FT._LIST").StringSlice()
			b.ok(err)
			for _, name := range names {
				b.ok(c.Do(t.Context(), "FT.DROPINDEX", name).Err())
			}
		}
		if r := b.ask("LowerLifeboat", "--deadline", "2s"); !r.Has("boats.go") && len(r.Reasons) == 0 {
			b.Errorf("%s lost: %s without a reason", lost, r.Status)
		}
		b.eventually(func() error {
			for _, q := range []string{"LowerLifeboat", "RaiseAnchor"} {
				if r := b.ask(q, "--deadline", "2s"); r.Status != "ok" || len(r.Reasons) > 0 {
					return fmt.Errorf("%s lost: %s %q", lost, r.Status, r.Reasons)
				}
			}
			return nil
		})
	}
}
