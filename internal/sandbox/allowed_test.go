//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// swapping swaps the folder dir for a link to target and back until stop is called.
func swapping(t *testing.T, dir, target string) (stop func()) {
	t.Helper()
	link, kept := dir+"-link", dir+"-kept"
	must(t, os.Symlink(target, link))
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			_ = os.Rename(dir, kept)
			_ = os.Rename(link, dir)
			_ = os.Rename(dir, link)
			_ = os.Rename(kept, dir)
			select {
			case <-end:
				return
			default:
			}
		}
	})
	return sync.OnceFunc(func() { close(end); wg.Wait() })
}

func TestRootSwappedForALinkIsNeverOpenedOutside(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"a.go": "treasure\n"})
	for _, below := range []string{"web", "web/deep"} {
		top := write(t, t.TempDir(), map[string]string{below + "/a.go": "inside\n"})
		dir := filepath.Join(top, filepath.FromSlash(below))
		o := Options{Allowed: Allow([]string{top})}
		stop := swapping(t, filepath.Join(top, "web"), outside)
		if below != "web" {
			must(t, os.MkdirAll(filepath.Join(outside, "deep"), 0o755))
			must(t, os.WriteFile(filepath.Join(outside, "deep", "a.go"), []byte("treasure\n"), 0o644))
		}
		inside := 0
		for n, began := 0, time.Now(); n < 3000 || inside == 0 && time.Since(began) < time.Minute; n++ {
			r, err := Open(dir, o)
			if err != nil {
				continue
			}
			data, _, err := r.Read("a.go")
			if strings.Contains(string(data), "treasure") {
				t.Fatal("what is outside was read")
			}
			if err == nil {
				inside++
			}
			must(t, r.Close())
		}
		if stop(); inside == 0 {
			t.Error("the root itself was never read")
		}
	}
}

func TestAllowedRootSwappedForALinkStaysWhereItWas(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"a.go": "treasure\n"})
	top := write(t, t.TempDir(), map[string]string{"web/a.go": "x\n", "real/a.go": "x\n"})
	at := func(name string) string { return filepath.Join(top, name) }
	must(t, os.Symlink("real", at("current")))
	allowed := Allow([]string{at("web"), at("current"), at("later")})
	for name, want := range map[string]error{"web": nil, "current": nil, "later": ErrMissing} {
		if _, err := allowed.Confine(at(name)); !errors.Is(err, want) {
			t.Errorf("%s before: %v, want %v", name, err, want)
		}
	}
	for _, name := range []string{"web", "current", "later"} {
		must(t, os.RemoveAll(at(name)))
		must(t, os.Symlink(outside, at(name)))
		if _, err := allowed.Confine(at(name)); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("Confine(%s) = %v", name, err)
		}
		if _, err := Open(at(name), Options{Allowed: allowed}); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("Open(%s) = %v", name, err)
		}
		must(t, os.Remove(at(name)))
		must(t, os.Mkdir(at(name), 0o755)) // a folder in its own place is allowed as it was
		if _, err := allowed.Confine(at(name)); err != nil && name != "current" {
			t.Errorf("Confine(%s) made again = %v", name, err)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dir, path string
		want      bool
	}{{"/srv", "/srv", true}, {"/srv", "/srv/web", true}, {"/srv", "/srvx", false}, {"/srv/web", "/srv", false}, {"/", "/srv", true}} {
		dir, path := filepath.FromSlash(tt.dir), filepath.FromSlash(tt.path)
		if got := Within(dir, path); got != tt.want {
			t.Errorf("Within(%q, %q) = %v", dir, path, got)
		}
	}
}
