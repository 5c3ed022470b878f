package backend

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAHungDaemonCoversNothingUntilItRenews(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, err := Open(Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	self := b.Self([]string{"/srv"}, []string{"/srv"})
	h, err := Hold(t.Context(), dir, self)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	want := func(when string, n int) {
		t.Helper()
		if daemons, err := b.Daemons(t.Context()); err != nil || len(daemons) != n {
			t.Errorf("%s: %+v, %v; want %d", when, daemons, err, n)
		}
	}
	want("at the start", 1)
	then := time.Now().Add(-RegisterFor - time.Second)
	if err := os.Chtimes(filepath.Join(dir, infoFile), then, then); err != nil {
		t.Fatal(err)
	}
	want("without renewing", 0)
	if _, err := h.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("renewed", 1)
}
