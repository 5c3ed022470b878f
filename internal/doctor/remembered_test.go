package doctor

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/store"
)

// remember stores a memory and a task, as packages memory and history would.
func remember(t *testing.T, o backend.Options) {
	t.Helper()
	b, err := backend.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := b.Documents()
	if err != nil {
		t.Fatal(err)
	}
	for bucket, owner := range map[string]string{"memory": "knight-1", "history": "web"} {
		if _, err := s.Apply(t.Context(), store.Shelf{Bucket: bucket, Owner: owner},
			store.Write{ID: "a", Data: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsRememberedIsCounted(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	remember(t, o)
	found := examine(t, o, nil)
	wantFailing(t, found)
	if d := found["documents"].Detail; d != "agents with memories: 1, projects with history: 1" {
		t.Error(d)
	}
}

func TestDamagedDocumentsAreNamedUntilTheyAreMovedAway(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	path := filepath.Join(o.StateDir, "documents.db")
	if err := errors.Join(statedir.Make(o.StateDir), os.WriteFile(path, []byte("no database"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		found := examine(t, o, nil)
		wantFailing(t, found, "damaged documents")
		if c := found["damaged documents"]; !strings.Contains(c.Detail, path+".bad-") ||
			!strings.Contains(c.Hint, "back-up") {
			t.Errorf("%+v", c)
		}
	}
	aside, err := filepath.Glob(path + ".bad-*Z")
	if err != nil || len(aside) != 1 {
		t.Fatal(aside, err)
	}
	if data, err := os.ReadFile(aside[0]); string(data) != "no database" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Rename(aside[0], filepath.Join(t.TempDir(), "kept")); err != nil {
		t.Fatal(err)
	}
	wantFailing(t, examine(t, o, nil))
}

func TestDocumentsOfANewerVersionAreNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	remember(t, o)
	db, err := sql.Open("sqlite", filepath.Join(o.StateDir, "documents.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	found := examine(t, o, nil)
	wantFailing(t, found, "documents")
	if d := found["documents"].Detail; !strings.Contains(d, "layout 99") {
		t.Error(d)
	}
}

func TestAnAuditLogThatIsNoFolderIsNamed(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	if err := errors.Join(statedir.Make(o.StateDir),
		os.WriteFile(filepath.Join(o.StateDir, "audit"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	wantFailing(t, examine(t, o, nil), "audit log")
}

func TestARedisThatForgetsOverARestartIsNamedOnceSomethingIsRemembered(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search, "--appendonly", "no")
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state"), Redis: s.URL, Prefix: s.Prefix}
	remember(t, o)
	wantFailing(t, examine(t, o, nil), "redis persistence")
	if err := s.Client(t).ConfigSet(t.Context(), "appendonly", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	wantFailing(t, examine(t, o, nil))
}

func TestDocumentsOfAWrongTypeAreNamed(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state"), Redis: s.URL, Prefix: s.Prefix}
	if err := s.Client(t).Set(t.Context(), s.Prefix+":owners:memory", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	wantFailing(t, examine(t, o, nil), "documents")
}
