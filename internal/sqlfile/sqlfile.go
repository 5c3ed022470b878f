// Package sqlfile keeps one SQLite file open that several processes share and that may be replaced, removed or damaged
// at any time.
//
// Packages queue/sqlite and store/sqlite put their tables into it. A file that is another one than was opened is opened
// again before the next work. A damaged one is moved away by its owner (Options.Aside), once however many goroutines
// and processes meet the damage, and a new one is begun; whether the work is done again there is the owner's choice,
// too.
package sqlfile

import (
	"cmp"
	"database/sql"
	"errors"
	"os"
	"sync"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Options are what an owner keeps in its file, and how.
type Options struct {
	Version    int      // of the layout, from 1, kept as the file's user_version
	Schema     string   // makes the tables and sets user_version
	Tables     []string // those that a sound file has
	CheckBelow int64    // bytes up to which opening looks at all of the file; a check costs about 1 ms for 4 MB

	Ways []Way // at least one; the first makes the tables

	// Replaceable says that what the file holds can be made again: one of another layout counts as damaged, and work
	// that met damage is done again in the new file. Without it a newer layout is an error, and such work fails.
	Replaceable bool

	// Aside moves the damaged file away, and what lies beside it (-wal, -shm). It runs under a lock that all processes
	// respect, and only while the file stands at its path. What it says is the error of the work that met the damage,
	// if that is not done again.
	Aside func(cause error) (said, failed error)
}

// Way is one way into the file: a pool of connections with settings of its own.
type Way struct {
	Query string // of the data source name: pragmas and _txlock
	Conns int    // at once, at most
}

// ErrClosed says that Close was called.
var ErrClosed = errors.New("it is closed")

// File is an open file. It is safe for use by several goroutines.
type File struct {
	path string
	o    Options

	mu     sync.RWMutex // guards what follows; held for reading while work runs
	now    *handles     // replaced, never changed
	closed bool
}

// handles are the ways into the file that was opened.
type handles struct {
	dbs  []*sql.DB   // as Options.Ways; closed if the file could not be opened again
	info os.FileInfo // of the file; nil if it could not be opened again
}

// Open opens the file at path, which it makes with its folder if it does not exist. A damaged one is moved away first,
// which is no error: there is no work yet that could lose anything by it.
func Open(path string, o Options) (*File, error) {
	f := &File{path: path, o: o}
	if err := f.open(); err != nil {
		return nil, err
	}
	return f, nil
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Close ends all use of f. It waits for work that runs.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.now.close()
}

func (h *handles) close() error {
	var errs []error
	for i := len(h.dbs) - 1; i >= 0; i-- {
		errs = append(errs, h.dbs[i].Close())
	}
	return errors.Join(errs...)
}

// at reports whether the file at path is the one that was opened.
func (h *handles) at(path string) bool {
	now, err := os.Stat(path)
	return err == nil && h.info != nil && os.SameFile(now, h.info)
}

// Do runs work, which gets the pools in the order of Options.Ways and must not keep them. It runs once more if the file
// was replaced or removed meanwhile or, where the file is replaceable, damaged.
func (f *File) Do(work func(ways []*sql.DB) error) error {
	for again := true; ; again = false {
		used, err := f.try(work)
		switch {
		case damaged(err):
			said, failed := f.reopen(used, err)
			if failed != nil {
				return failed
			}
			if !again || !f.o.Replaceable {
				return cmp.Or(said, err)
			}
		case again && moved(err):
			if _, failed := f.reopen(used, err); failed != nil {
				return failed
			}
		default:
			return err
		}
	}
}

// try runs work on the file that is at the path, and says what it used.
func (f *File) try(work func([]*sql.DB) error) (*handles, error) {
	f.mu.RLock()
	used := f.now
	f.mu.RUnlock()
	if !used.at(f.path) {
		if _, err := f.reopen(used, nil); err != nil {
			return used, err
		}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return f.now, ErrClosed
	}
	return f.now, work(f.now.dbs)
}

// reopen opens the file at the path in place of the one that was used, unless another goroutine has done so already. If
// it is the same file and cause says that it is damaged, it is moved away first.
func (f *File) reopen(used *handles, cause error) (said, failed error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	if f.now != used {
		return nil, nil
	}
	same := used.at(f.path)
	if same && cause == nil {
		return nil, nil
	}
	// From here on the name may be another file's, and SQLite would remove the WAL by name when the last handle closes.
	for _, db := range used.dbs {
		keepWAL(db)
	}
	used.close()
	f.now = &handles{dbs: used.dbs} // so that, if this fails, the next work tries again
	if same && damaged(cause) {
		if said, failed = f.aside(used.info, cause); failed != nil {
			return nil, failed
		}
	}
	return said, f.open()
}

// open opens the file as it is, or a new one in place of a damaged one. It requires that nobody else uses f.
func (f *File) open() error {
	for try := 0; ; try++ {
		h, err := connect(f.path, f.o)
		if err == nil {
			f.now = h
			return nil
		}
		if try > 1 || !damaged(err) {
			return err
		}
		if _, err := f.aside(h.info, err); err != nil {
			return err
		}
	}
}

// aside has the damaged file moved away, unless another process has already put a new one in its place.
func (f *File) aside(bad os.FileInfo, cause error) (said, failed error) {
	lock := flock.New(f.path + ".lock")
	if err := lock.Lock(); err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if now, err := os.Stat(f.path); err != nil || !os.SameFile(now, bad) {
		return nil, nil
	}
	return f.o.Aside(cause)
}
