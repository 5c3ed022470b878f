package presence

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAHungDaemonCoversNothingUntilItRenews(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := Hold(t.Context(), dir, Self("embedded", []string{"/srv"}, []string{"/srv"}))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	want := func(when string, seen bool) {
		t.Helper()
		if d, ok := Holder(dir); ok != seen {
			t.Errorf("%s: %+v, %v; want %v", when, d, ok, seen)
		}
	}
	want("at the start", true)
	then := time.Now().Add(-RegisterFor - time.Second)
	if err := os.Chtimes(filepath.Join(dir, infoFile), then, then); err != nil {
		t.Fatal(err)
	}
	want("without renewing", false)
	if _, err := h.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("renewed", true)
}
