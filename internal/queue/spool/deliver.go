package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/syserr"
)

const (
	// pollInterval is the time between two reads of the directory.
	pollInterval = time.Second
	// orphanAge is the age of an unfinished file from which its writer counts as dead.
	orphanAge = time.Hour
)

// Push hands one request to the queue.
type Push func(context.Context, queue.Request) error

// Run delivers the requests of the spool until ctx ends. It logs once when delivery begins to fail and once when it
// works again.
func (s *Spool) Run(ctx context.Context, push Push, log *slog.Logger) {
	wait, down := queue.NewBackOff(), false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		n, err := s.Deliver(ctx, push, log)
		if n > 0 {
			log.Info("requests of the spool were delivered", "spool", s.dir, "requests", n)
		}
		next := pollInterval
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !down {
				log.Warn("requests stay in the spool", "spool", s.dir, obs.KeyError, err)
			}
			down, next = true, wait.NextBackOff()
		case down:
			down = false
			wait.Reset()
			log.Info("the spool is delivered again", "spool", s.dir)
		}
		timer.Reset(next)
	}
}

// Deliver pushes what lies in the spool, oldest first, removes each file after it was accepted, and returns how many
// were. It ends with the first error of push, unless that is of one of several servers; a file that cannot be read or
// removed does not hold back the others.
func (s *Spool) Deliver(ctx context.Context, push Push, log *slog.Logger) (n int, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	root, err := os.OpenRoot(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("open spool %q: %w", s.dir, syserr.Cause(err))
	}
	defer root.Close()
	lock := flock.New(s.dir, flock.SetFlag(os.O_RDONLY))
	// A system that cannot lock a folder delivers without: twice at worst.
	if locked, err := lock.TryLock(); err == nil && !locked {
		return 0, nil // another process delivers
	}
	defer lock.Close()
	names, err := s.list(root)
	if err != nil {
		return 0, fmt.Errorf("list spool %q: %w", s.dir, syserr.Cause(err))
	}
	var failed error // the first of a file
	before := s.delivered
	s.delivered = map[string]bool{}
	for _, name := range names {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		r, file, err := readRequest(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process was first
			continue
		case errors.Is(err, errNotRequest):
			failed = cmp.Or(failed, s.setAside(root, name, err, log))
			continue
		case err != nil:
			failed = cmp.Or(failed, fmt.Errorf("read %q of the spool: %w", name, syserr.Cause(err)))
			continue
		}
		if !before[name] {
			if err := push(ctx, r); servers.Partial(err) {
				failed = cmp.Or(failed, fmt.Errorf("deliver %q of the spool: %w", name, err))
				continue
			} else if err != nil {
				return n, fmt.Errorf("deliver %q of the spool: %w", name, err)
			}
			n++
		}
		if err := removeIfSame(root, name, file); err != nil {
			s.delivered[name] = true
			failed = cmp.Or(failed, fmt.Errorf("remove %q of the spool: %w", name, syserr.Cause(err)))
		}
	}
	return n, failed
}

// removeIfSame removes the file that was read. A file that has taken its name since is another request and stays.
func removeIfSame(root *os.Root, name string, file fs.FileInfo) error {
	now, err := root.Lstat(name)
	if err == nil && os.SameFile(now, file) {
		err = root.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// setAside renames a file that is not a request to NAME.json.bad. It replaces an earlier file of that name.
func (s *Spool) setAside(root *os.Root, name string, why error, log *slog.Logger) error {
	err := root.Rename(name, name+badSuffix)
	if err != nil {
		err = root.Rename(name, fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, requestSuffix), s.now().UnixNano(),
			requestSuffix+badSuffix))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("set aside %q of the spool: %w", name, syserr.Cause(err))
	}
	log.Warn("a file of the spool is no request and was set aside", "spool", s.dir, "file", name+badSuffix,
		obs.KeyError, why)
	return nil
}

// list returns the names of the requests, oldest first; of more than maxFiles, those that the directory lists first. It
// removes the unfinished files of dead writers.
func (s *Spool) list(root *os.Root) ([]string, error) {
	type entry struct {
		name string
		at   time.Time
	}
	var all []entry
	err := eachName(root, func(name string) bool {
		orphan := strings.HasSuffix(name, requestSuffix+tempSuffix)
		if !orphan && !isRequest(name) {
			return true
		}
		info, err := root.Lstat(name)
		switch {
		case err != nil:
		case !orphan:
			all = append(all, entry{name, info.ModTime()})
		case info.Mode().IsRegular() && s.now().Sub(info.ModTime()) > orphanAge:
			_ = root.Remove(name)
		}
		return len(all) < maxFiles
	})
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.name
	}
	return names, err
}
