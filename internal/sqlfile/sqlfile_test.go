package sqlfile

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errSaid = errors.New("the file was moved away")

// owner keeps numbers in a file.
type owner struct {
	*File
	path  string
	moved atomic.Int32 // damaged files that were moved away
}

func open(t *testing.T, path string, replaceable bool) *owner {
	t.Helper()
	o := &owner{path: path}
	file, err := Open(path, Options{
		Version: 2, Schema: "CREATE TABLE number (n INTEGER); PRAGMA user_version = 2", Tables: []string{"number"},
		CheckBelow: 1 << 20, Ways: []Way{{Query: "_txlock=immediate", Conns: 1},
			{Query: "_pragma=query_only(1)", Conns: 2}},
		Replaceable: replaceable,
		Aside: func(error) (said, failed error) {
			for _, tail := range []string{"-wal", "-shm", ""} {
				if err := os.Rename(path+tail, fmt.Sprint(path, ".bad", o.moved.Load(), tail)); err != nil &&
					!errors.Is(err, os.ErrNotExist) {
					return nil, err
				}
			}
			o.moved.Add(1)
			return errSaid, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.File = file
	t.Cleanup(func() { file.Close() })
	return o
}

func (o *owner) exec(query string) error {
	return o.Do(func(ways []*sql.DB) error { _, err := ways[0].Exec(query); return err })
}

func (o *owner) count(t *testing.T) (n int) {
	t.Helper()
	err := o.Do(func(ways []*sql.DB) error { return ways[1].QueryRow("SELECT count(*) FROM number").Scan(&n) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestGoroutinesThatMeetTheSameDamageMoveTheFileAwayOnce(t *testing.T) {
	t.Parallel()
	for _, replaceable := range []bool{false, true} {
		t.Run(fmt.Sprint(replaceable), func(t *testing.T) {
			t.Parallel()
			f := open(t, filepath.Join(t.TempDir(), "a.db"), replaceable)
			const n = 4
			var met, done sync.WaitGroup
			met.Add(n)
			for range n {
				done.Go(func() {
					first := true
					err := f.Do(func(ways []*sql.DB) error {
						if !first {
							_, err := ways[0].Exec("INSERT INTO number VALUES (1)")
							return err
						}
						first = false
						met.Done()
						met.Wait() // all are at work in the file that is damaged
						return errDamaged
					})
					if replaceable && err != nil || !replaceable && !errors.Is(err, errSaid) &&
						!errors.Is(err, errDamaged) {
						t.Error(err)
					}
				})
			}
			done.Wait()
			want := 0
			if replaceable {
				want = n
			}
			if got := f.count(t); f.moved.Load() != 1 || got != want {
				t.Errorf("moved away %d times, %d numbers after it, want 1 and %d", f.moved.Load(), got, want)
			}
		})
	}
}

func TestWorkThatMetDamageIsDoneAgainOnlyWhereTheFileIsReplaceable(t *testing.T) {
	t.Parallel()
	for _, replaceable := range []bool{false, true} {
		f := open(t, filepath.Join(t.TempDir(), "a.db"), replaceable)
		runs := 0
		err := f.Do(func([]*sql.DB) error {
			if runs++; runs == 1 {
				return errDamaged
			}
			return nil
		})
		if replaceable && (runs != 2 || err != nil) || !replaceable && (runs != 1 || !errors.Is(err, errSaid)) {
			t.Errorf("replaceable %t: %d runs, %v", replaceable, runs, err)
		}
	}
}

func TestReplacedFileIsOpenedAndItsWALLeftAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows neither moves nor removes a database that somebody has open")
	}
	dir := t.TempDir()
	one := open(t, filepath.Join(dir, "a.db"), false)
	if err := one.exec("INSERT INTO number VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(one.path+tail, one.path+".old"+tail); err != nil {
			t.Fatal(err)
		}
	}
	two := open(t, one.path, false)
	if err := two.exec("INSERT INTO number VALUES (1), (2)"); err != nil {
		t.Fatal(err)
	}
	if got := one.count(t); got != 2 {
		t.Errorf("%d numbers, want the 2 of the new file", got)
	}
	if _, err := os.Stat(one.path + "-wal"); err != nil {
		t.Errorf("closing the old file took the new one's WAL: %v", err)
	}
	if got := open(t, one.path+".old", false).count(t); got != 1 {
		t.Errorf("%d numbers in the old file, want 1", got)
	}
}

func TestOtherLayouts(t *testing.T) {
	t.Parallel()
	for _, replaceable := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.db")
		f := open(t, path, replaceable)
		if err := f.exec("PRAGMA user_version = 7"); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if replaceable {
			if f = open(t, path, true); f.moved.Load() != 1 {
				t.Error("a newer layout was not moved away")
			}
			continue
		}
		if _, err := Open(path, f.o); err == nil || f.moved.Load() != 0 {
			t.Errorf("newer layout: %v, moved away %d times", err, f.moved.Load())
		}
	}
}

func TestMissingTableIsDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	f := open(t, path, false)
	if err := f.exec("DROP TABLE number"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f = open(t, path, false); f.moved.Load() != 1 || f.count(t) != 0 {
		t.Error("the file was used")
	}
}

func TestClosedFileDoesNoWork(t *testing.T) {
	t.Parallel()
	f := open(t, filepath.Join(t.TempDir(), "a.db"), true)
	f.Close()
	work := func([]*sql.DB) error { t.Error("it works"); return nil }
	if err := f.Do(work); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	if err := f.Do(work); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := os.Stat(f.path); err == nil {
		t.Error("a closed file was made again")
	}
}
