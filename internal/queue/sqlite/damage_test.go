package sqlite

import (
	"database/sql"
	"log/slog"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/queuetest"
)

var web = queue.Request{Project: "web", Root: queuetest.At("web"), Paths: []string{"a.go"}}

func TestDamagedFileIsSetAside(t *testing.T) {
	t.Parallel()
	noise := rand.New(rand.NewSource(1))
	for name, harm := range map[string]func([]byte) []byte{
		"overwritten": func(b []byte) []byte { noise.Read(b); return b },
		"cut":         func(b []byte) []byte { return b[:len(b)/2] },
		"header only": func(b []byte) []byte { return b[:100] },
		"page lost":   func(b []byte) []byte { clear(b[4096 : 2*4096]); return b },
		"no database": func([]byte) []byte { return []byte("hello") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "queue.db")
			q := open(t, path)
			if _, err := q.Push(t.Context(), web); err != nil {
				t.Fatal(err)
			}
			q.Close()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, harm(b), 0o600); err != nil {
				t.Fatal(err)
			}
			q = open(t, path)
			if !q.Rebuilt() {
				t.Error("it does not say that it was rebuilt")
			}
			pushAndCount(t, q, 1)
			if _, err := os.Stat(path + ".bad"); err != nil {
				t.Error(err)
			}
			q.Close()
			if q = open(t, path); q.Rebuilt() {
				t.Error("a good file was set aside")
			}
			pushAndCount(t, q, 2)
		})
	}
}

func TestEmptyFileAndStrayTailsAreHarmless(t *testing.T) {
	t.Parallel()
	for _, tail := range []string{"", "-wal", "-shm"} {
		path := filepath.Join(t.TempDir(), "queue.db")
		q := open(t, path)
		pushAndCount(t, q, 1)
		q.Close()
		data, want := []byte("some noise that is no page"), 2
		if tail == "" {
			data, want = nil, 1
		}
		if err := os.WriteFile(path+tail, data, 0o600); err != nil {
			t.Fatal(err)
		}
		pushAndCount(t, open(t, path), want)
	}
}

func TestDamageWhileOpenHeals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	path := filepath.Join(t.TempDir(), "queue.db")
	one, two := open(t, path), open(t, path)
	pushAndCount(t, one, 1)
	if err := exec(one, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, 40_000), 0o600); err != nil { // in place: the same file as before
		t.Fatal(err)
	}
	// A second process writes to it meanwhile, so that the first one's cache is of no use.
	if _, err := two.Push(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	pushAndCount(t, one, 2)
	pushAndCount(t, two, 3)
	if !one.Rebuilt() && !two.Rebuilt() {
		t.Error("nobody says that it was rebuilt")
	}
}

func TestRemovedStateDirectoryIsRecreated(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	dir := filepath.Join(t.TempDir(), "state")
	one, two := open(t, filepath.Join(dir, "queue.db")), open(t, filepath.Join(dir, "queue.db"))
	pushAndCount(t, one, 1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	pushAndCount(t, one, 1)
	pushAndCount(t, two, 2)
}

func TestManyProcessesMayMakeTheFileAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			q, err := Open(path, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
				return
			}
			defer q.Close()
			if _, err := q.Push(t.Context(), web); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	pushAndCount(t, open(t, path), 9)
}

func TestOpenExistingMakesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	q, ok, err := OpenExisting(filepath.Join(dir, "queue.db"), slog.New(slog.DiscardHandler))
	if q != nil || ok || err != nil {
		t.Fatal(q, ok, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatal("the directory was made")
	}
}

func TestOddFileNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), oddName(), "queue.db")
	pushAndCount(t, open(t, path), 1)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

func TestOldestDeadLettersAreDroppedOverTheLimit(t *testing.T) {
	t.Parallel()
	q := open(t, filepath.Join(t.TempDir(), "queue.db"))
	const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO intake (at, project, body) SELECT i, '', '{}' FROM n`
	if err := exec(q, fill, queue.MaxDead+7); err != nil {
		t.Fatal(err)
	}
	for left := 1; left > 0; {
		var err error
		if left, err = q.Drain(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	l, err := q.Dead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(l) != queue.MaxDead || l[0].ID != "8" {
		t.Fatalf("%d letters from %s, want %d from 8", len(l), l[0].ID, queue.MaxDead)
	}
}

func exec(q *Queue, query string, args ...any) error {
	return q.withDB("change", func(db *sql.DB) error { _, err := db.Exec(query, args...); return err })
}

// pushAndCount pushes one more request and checks how many wait then.
func pushAndCount(t *testing.T, q *Queue, want int) {
	t.Helper()
	if _, err := q.Push(t.Context(), web); err != nil {
		t.Fatal(err)
	}
	ms, err := q.readIntake(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(ms) != want {
		t.Fatalf("%d messages, want %d", len(ms), want)
	}
}

// oddName has what a URI of SQLite would take for its own.
func oddName() string {
	if runtime.GOOS == "windows" { // which has no "?" in names
		return "a b#d%20é"
	}
	return "a b?c#d%20é"
}
