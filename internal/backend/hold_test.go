package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStateDirectoryThatWasRemovedIsMadeAndLockedAgain(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(dir string) error{
		"removed":            os.RemoveAll,
		"its lock removed":   func(dir string) error { return os.Remove(filepath.Join(dir, lockFile)) },
		"moved away":         func(dir string) error { return os.Rename(dir, dir+"-away") },
		"removed and remade": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			b := open(t, Options{StateDir: filepath.Join(t.TempDir(), "state")})
			h, err := Hold(ctx, b.opts.StateDir, b.Self([]string{"/srv"}, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			renew := func(want bool) {
				t.Helper()
				if remade, err := h.Renew(ctx); remade != want || err != nil {
					t.Errorf("remade %v, %v", remade, err)
				}
				if live, err := b.Daemons(ctx); err != nil || len(live) != 1 {
					t.Errorf("daemons %+v, %v", live, err)
				}
				if _, err := Hold(ctx, b.opts.StateDir, b.Self(nil, nil)); !errors.Is(err, ErrRunning) {
					t.Errorf("a second daemon: %v", err)
				}
			}
			renew(false)
			if err := harm(b.opts.StateDir); err != nil {
				t.Skipf("not to be done on this system: %v", err)
			}
			renew(true)
			renew(false)
			if err := os.Remove(filepath.Join(b.opts.StateDir, infoFile)); err != nil {
				t.Fatal(err)
			}
			renew(false)
		})
	}
}

func TestAStateDirectoryThatAnotherDaemonTookIsAnErrorAndLeftToIt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := open(t, Options{StateDir: filepath.Join(t.TempDir(), "state")})
	first, err := Hold(ctx, b.opts.StateDir, b.Self(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.opts.StateDir); err != nil {
		t.Skipf("not to be done on this system: %v", err)
	}
	second, err := Hold(ctx, b.opts.StateDir, b.Self(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release()
	if _, err := first.Renew(ctx); !errors.Is(err, ErrRunning) || !strings.Contains(err.Error(), "removed or replaced") {
		t.Errorf("renewed: %v", err)
	}
	first.Release()
	if live, err := b.Daemons(ctx); err != nil || len(live) != 1 {
		t.Errorf("the second daemon is gone with the first: %+v, %v", live, err)
	}
}
