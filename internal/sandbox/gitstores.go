package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/syserr"
)

// ErrStores is returned for object stores that hold links, or that change again and again while they are looked at.
var ErrStores = errors.New("git objects cannot be read safely")

// A store counts as at rest after settleTime without a change: within the tick of a file system's clock two changes
// look like one. Waiting for that ends after settleTries.
const (
	settleTime  = 50 * time.Millisecond
	settleTries = 6
	maxListing  = 64 << 20 // bytes that the names in one of their folders may take
)

// Stores are the object stores that a repository in allowed folders reads from, its own first. Each is an open handle,
// so that who swaps a folder of its path changes nothing; [Stores.Unchanged] tells whether what is in them was swapped.
type Stores struct {
	list []*Store
}

// Store is a folder of objects.
type Store struct {
	Folders []string // the folders of objects and packs in it
	path    string
	root    *Root
	seen    []File // itself, what is listed in it, and the file of stores that it borrows from
}

// OpenStores opens the object stores of a repository that was found with allowed folders; nil where it was found
// without: it is read by path. No link lies in them, and nothing in them changes as they are opened.
func (r *Repository) OpenStores(ctx context.Context) (*Stores, error) {
	if r.stores == nil {
		return nil, nil
	}
	s := &Stores{}
	for _, path := range r.stores {
		root, err := openReal(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open git objects %q: %w", path, syserr.Cause(err)), s.Close())
		}
		s.list = append(s.list, &Store{path: path, root: root})
	}
	if err := s.settle(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// settle looks at the stores until they are at rest.
func (s *Stores) settle(ctx context.Context) error {
	for range settleTries {
		var last int64
		for _, st := range s.list {
			var err error
			if st.seen, st.Folders, err = st.look(); err != nil {
				return fmt.Errorf("look at git objects %q: %w", st.path, syserr.Cause(err))
			}
			for _, f := range st.seen {
				last = max(last, f.MTime, f.CTime)
			}
		}
		age := time.Since(time.Unix(0, last))
		if age.Abs() > settleTime { // a clock that is far ahead is another machine's: there is nothing to wait for
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleTime - age + time.Millisecond):
		}
	}
	return fmt.Errorf("%w: they change all the time", ErrStores)
}

// look notes the state of the store's folders. A file that is put into a folder, removed or replaced changes that of
// the folder.
func (st *Store) look() (seen []File, folders []string, err error) {
	l := &listing{limit: maxListing}
	names := func(rel string) (dirs []string, err error) {
		f, _, err := st.root.lstat(rel)
		if err != nil {
			return nil, err
		}
		prefix := ""
		if rel != "" {
			prefix = rel + "/"
		}
		defer l.done()
		if err := st.root.list(rel, prefix, l); err != nil {
			return nil, err
		}
		for _, e := range l.entries {
			switch {
			case e.form == formLink:
				return nil, fmt.Errorf("%w: %q is a link", ErrStores, e.full)
			case e.form == formDir && (rel != "" || isObjects(e.name)):
				dirs = append(dirs, strings.Clone(e.full))
			}
		}
		if l.cut {
			return nil, fmt.Errorf("%w: the names in %q take more than %d MB", ErrStores, rel, maxListing>>20)
		}
		seen = append(seen, f)
		return dirs, nil
	}
	if folders, err = names(""); err != nil {
		return nil, nil, err
	}
	for _, rel := range folders {
		if _, err = names(rel); err != nil {
			return nil, nil, err
		}
	}
	if f, kind, err := st.root.lstat("info/alternates"); err == nil && kind == formFile {
		seen = append(seen, f)
	}
	return seen, folders, nil
}

// isObjects reports whether git looks for objects in a folder of that name.
func isObjects(name string) bool {
	return name == "pack" || len(name) == 2 && strings.Trim(name, "0123456789abcdef") == ""
}

// All are the stores.
func (s *Stores) All() []*Store { return s.list }

// Handle is the store's open folder. It belongs to the store.
func (st *Store) Handle() *os.File { return st.root.dir }

// Unchanged reports whether the stores are as OpenStores found them, and still lie where it did: what was read of them
// in between is of the repository. A commit that is made meanwhile counts as a change.
func (s *Stores) Unchanged() bool {
	for _, st := range s.list {
		if seen, _, err := st.look(); err != nil || !slices.Equal(seen, st.seen) {
			return false
		}
		if root, err := openReal(st.path); err != nil {
			return false
		} else if same := root.same(st.root); root.Close() != nil || !same {
			return false
		}
	}
	return true
}

// same reports whether both are handles of one folder.
func (r *Root) same(other *Root) bool {
	a, aerr := r.dir.Stat()
	b, berr := other.dir.Stat()
	return aerr == nil && berr == nil && os.SameFile(a, b)
}

// Close releases the handles. s may be nil.
func (s *Stores) Close() error {
	if s == nil {
		return nil
	}
	var err error
	for _, st := range s.list {
		err = errors.Join(err, st.root.Close())
	}
	return err
}
