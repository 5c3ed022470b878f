//go:build unix

package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/backend"
)

func TestWhatOthersMayReadOfMemoryAndAuditIsNamed(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "a [b] * c")} // no pattern
	remember(t, o)
	audit := filepath.Join(o.StateDir, "audit")
	log := filepath.Join(audit, "web-00.jsonl")
	if err := errors.Join(os.Mkdir(audit, 0o700), os.WriteFile(log, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	wantFailing(t, examine(t, o, nil))
	for _, file := range []string{log, filepath.Join(o.StateDir, "documents.db")} {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		found := examine(t, o, nil)
		wantFailing(t, found, "private files")
		if d := found["private files"].Detail; !strings.Contains(d, file+" (mode 0644)") {
			t.Error(d)
		}
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(audit, 0o755); err != nil {
		t.Fatal(err)
	}
	found := examine(t, o, nil)
	wantFailing(t, found, "audit log")
	if c := found["audit log"]; !strings.Contains(c.Hint, "chmod 700 "+audit) {
		t.Errorf("%+v", c)
	}
}
