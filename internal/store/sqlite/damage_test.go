package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/store"
)

var shelf1 = store.Shelf{Bucket: "memory", Owner: "knight"}

func write(t testing.TB, s *Store, id, text string) int64 {
	t.Helper()
	rev, err := s.Apply(t.Context(), shelf1, store.Write{ID: id, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// writer is the way by which s writes.
func writer(t testing.TB, s *Store) (db *sql.DB) {
	t.Helper()
	if err := s.do("look at", safe, func(way *sql.DB) error { db = way; return nil }); err != nil {
		t.Fatal(err)
	}
	return db
}

// docsOf are the documents as "id=data".
func docsOf(t testing.TB, s *Store) string {
	t.Helper()
	all, _, err := s.All(t.Context(), shelf1)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range all {
		texts = append(texts, d.ID+"="+string(d.Data))
	}
	return strings.Join(texts, " ")
}

func TestDamagedFileIsSetAsideWholeAndSaid(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func([]byte) []byte{
		"other text": func([]byte) []byte { return []byte(strings.Repeat("no database ", 1000)) },
		"cut":        func(b []byte) []byte { return b[:len(b)/2] },
		"overwritten": func(b []byte) []byte {
			return append(append(b[:100:100], bytes.Repeat([]byte{0xa5}, 5000)...), b[5100:]...)
		},
		"other tables": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("entry"), []byte("other")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "documents.db")
			s := open(t, path)
			for i := range 50 {
				write(t, s, fmt.Sprint(i), strings.Repeat("x", 500))
			}
			first := write(t, s, "last", "1")
			s.Close()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := harm(bytes.Clone(b))
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			s, err = Open(path, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			aside, err := Aside(path)
			if err != nil || len(aside) != 1 {
				t.Fatalf("set aside: %q, %v", aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, bad) {
				t.Errorf("%d bytes were kept of %d, %v", len(kept), len(bad), err)
			}
			if !strings.Contains(said.String(), "damaged") ||
				!strings.Contains(said.String(), filepath.Base(aside[0])) {
				t.Errorf("said: %s", said.String())
			}
			if got := docsOf(t, s); got != "" {
				t.Errorf("the new file holds %q", got)
			}
			if again := write(t, s, "a", "1"); again <= first {
				t.Errorf("revision %d comes after %d of the lost file", again, first)
			}
			s.Close()
			open(t, path)
			if aside, err = Aside(path); err != nil || len(aside) != 1 {
				t.Errorf("a good file was set aside: %q, %v", aside, err)
			}
		})
	}
}

func TestDamageWhileOpenIsSaidByTheCallThatMeetsIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	path := filepath.Join(t.TempDir(), "documents.db")
	one, two := open(t, path), open(t, path)
	write(t, one, "a", "1")
	for _, s := range []*Store{one, two} {
		if _, err := writer(t, s).Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, bytes.Repeat([]byte{0xa5}, 40_000), 0o600); err != nil {
		// in place: the same file as before
		t.Fatal(err)
	}
	// Two has read nothing of it yet.
	_, _, err := two.All(t.Context(), shelf1)
	var damaged *store.DamagedError
	if !errors.As(err, &damaged) || damaged.Path != path || !strings.Contains(err.Error(), damaged.Aside) {
		t.Fatalf("%v, want a DamagedError", err)
	}
	if aside, err := Aside(path); err != nil || len(aside) != 1 || aside[0] != damaged.Aside {
		t.Errorf("set aside: %q, %v", aside, err)
	}
	write(t, two, "b", "2")
	for _, s := range []*Store{one, two} {
		if got := docsOf(t, s); got != "b=2" {
			t.Errorf("then it holds %q", got)
		}
	}
	write(t, one, "c", "3")
	if got := docsOf(t, two); got != "b=2 c=3" {
		t.Errorf("then it holds %q", got)
	}
}

func TestWhatIsSetAsideIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "documents.db")
	for i := range 3 {
		if err := os.WriteFile(path, fmt.Append(nil, "no database ", i), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, path).Close()
	}
	aside, err := Aside(path)
	if err != nil || len(aside) != 3 {
		t.Fatalf("%q, %v", aside, err)
	}
	for i, name := range aside {
		if b, err := os.ReadFile(name); err != nil || string(b) != fmt.Sprint("no database ", i) {
			t.Errorf("%q: %q, %v", name, b, err)
		}
	}
	if none, err := Aside(filepath.Join(t.TempDir(), "none", "documents.db")); none != nil || err != nil {
		t.Errorf("of no folder: %q, %v", none, err)
	}
}

func TestTwoWhoMeetTheSameDamageSetItAsideOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	path := filepath.Join(t.TempDir(), "documents.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			s, err := Open(path, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.Apply(t.Context(), shelf1, store.Write{ID: fmt.Sprint(i), Data: []byte("1")}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if aside, err := Aside(path); err != nil || len(aside) != 1 {
		t.Errorf("%q, %v", aside, err)
	}
	if got := docsOf(t, open(t, path)); got != "0=1 1=1 2=1 3=1 4=1 5=1" {
		t.Errorf("it holds %q", got)
	}
}

func TestFileOfANewerVersionStaysAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "documents.db")
	s := open(t, path)
	write(t, s, "a", "1")
	if _, err := writer(t, s).Exec("PRAGMA user_version = 7"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := Open(path, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "layout 7") {
		t.Fatalf("%v", err)
	}
	if aside, err := Aside(path); err != nil || len(aside) != 0 {
		t.Errorf("set aside: %q, %v", aside, err)
	}
}

func TestFileThatIsReplacedOrRemovedIsOpenedAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "documents.db")
	one, two := open(t, path), open(t, path)
	write(t, one, "a", "1")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	write(t, one, "b", "2")
	if got := docsOf(t, two); got != "b=2" {
		t.Errorf("it holds %q", got)
	}
}

func TestClockThatGoesBackStopsNoRevisionAndNoID(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "documents.db"))
	now := time.Now()
	s.now = func() time.Time { now = now.Add(-time.Hour); return now }
	lastRev, lastID := int64(0), ""
	for range 5 {
		rev := write(t, s, "a", "1")
		id, err := s.Append(t.Context(), "events", 100, []byte("x"), []byte("y"))
		if err != nil || rev <= lastRev || id <= lastID {
			t.Fatalf("revision %d after %d, id %q after %q, %v", rev, lastRev, id, lastID, err)
		}
		lastRev, lastID = rev, id
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "documents.db")
	s := open(t, path)
	write(t, s, "a", "1")
	for _, tail := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + tail); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", tail, info, err)
		}
	}
}

func TestUnusualFilePathsCanBeOpened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), oddName(), "documents.db")
	write(t, open(t, path), "a", "1")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

func TestWriterWaitsForAnotherProcessAsLongAsItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "documents.db")
	one, two := open(t, path), open(t, path)
	tx, err := writer(t, two).Begin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for range 2 { // the second one finds it over
		if _, err := one.Apply(ctx, shelf1, store.Write{ID: "a", Data: []byte("1")}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	write(t, one, "b", "2")
	if got := docsOf(t, two); got != "b=2" {
		t.Errorf("it holds %q", got)
	}
}

func TestFullDiskIsAnErrorAndLeavesAllAsItWas(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "documents.db"))
	rev := write(t, s, "a", "1")
	if _, err := writer(t, s).Exec("PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Apply(t.Context(), shelf1, store.Write{ID: "a", Data: []byte("2")},
		store.Write{ID: "b", Data: make([]byte, 200_000)})
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("%v, want a full disk", err)
	}
	if got := docsOf(t, s); got != "a=1" {
		t.Errorf("it holds %q", got)
	}
	if at, err := s.Rev(t.Context(), shelf1); at != rev || err != nil {
		t.Errorf("revision %d, %v", at, err)
	}
	write(t, s, "c", "small")
}

func TestReadersDoNotWaitForAWriter(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "documents.db"))
	write(t, s, "a", "1")
	tx, err := writer(t, s).Begin() // takes the write lock
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if got := docsOf(t, s); got != "a=1" {
		t.Errorf("it reads %q", got)
	}
}

// oddName has what a URI of SQLite would take for its own.
func oddName() string {
	if runtime.GOOS == "windows" { // which has no "?" in names
		return "a b#d%20é"
	}
	return "a b?c#d%20é"
}
