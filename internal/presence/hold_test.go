package presence

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
			dir := filepath.Join(t.TempDir(), "state")
			h, err := Hold(ctx, dir, Self("embedded", []string{"/srv"}, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			renew := func(want bool) {
				t.Helper()
				if remade, err := h.Renew(ctx); remade != want || err != nil {
					t.Errorf("remade %v, %v", remade, err)
				}
				if _, ok := Holder(dir); !ok {
					t.Error("the daemon is not seen")
				}
				if _, err := Hold(ctx, dir, Self("embedded", nil, nil)); !errors.Is(err, ErrRunning) {
					t.Errorf("a second daemon: %v", err)
				}
			}
			renew(false)
			if err := harm(dir); err != nil {
				t.Skipf("not to be done on this system: %v", err)
			}
			renew(true)
			renew(false)
			if err := os.Remove(filepath.Join(dir, infoFile)); err != nil {
				t.Fatal(err)
			}
			renew(false)
		})
	}
}

func TestAStateDirectoryThatAnotherDaemonTookIsAnErrorAndLeftToIt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "state")
	first, err := Hold(ctx, dir, Self("embedded", nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("not to be done on this system: %v", err)
	}
	second, err := Hold(ctx, dir, Self("embedded", nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release()
	if _, err := first.Renew(ctx); !errors.Is(err, ErrRunning) ||
		!strings.Contains(err.Error(), "removed or replaced") {
		t.Errorf("renewed: %v", err)
	}
	first.Release()
	if _, ok := Holder(dir); !ok {
		t.Error("the second daemon is gone with the first")
	}
}
