//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb"
)

// act does one thing, more often an edit than a fault.
func (s *spell) act(ctx context.Context) {
	acts := []struct {
		name   string
		weight int
		do     func(context.Context) error
	}{
		{"edit", 10, s.change(s.edit)},
		{"add", 4, s.change(s.add)},
		{"delete", 3, s.change(s.remove)},
		{"rename", 3, s.change(s.rename)},
		{"many", 2, s.change(s.many)},
		{"checkout", 4, s.change(s.checkout)},
		{"ignore", 1, s.change(s.ignore)},
		{"index", 2, s.index},
		{"enqueue", 2, s.enqueue},
		{"kill", 4, s.kill},
		{"term", 2, s.term},
		{"redis-kill", 3, s.redisKill},
		{"redis-hang", 2, s.redisHang},
		{"redis-flush", 1, s.redisFlush},
		{"redis-drop", 1, s.redisDrop},
	}
	if s.redis == nil {
		acts = acts[:len(acts)-4]
	}
	total := 0
	for _, a := range acts {
		total += a.weight
	}
	n := s.rnd.IntN(total)
	for _, a := range acts {
		if n -= a.weight; n < 0 {
			s.faults[a.name]++
			if err := a.do(ctx); err != nil && ctx.Err() == nil {
				s.fail(fmt.Errorf("%s: %w", a.name, err))
			}
			return
		}
	}
}

// change is an act that changes files.
func (s *spell) change(f func() error) func(context.Context) error {
	return func(context.Context) error { return s.disk.Change(f) }
}

// some is a source that stands; "" if there is none.
func (s *spell) some() string {
	names := s.disk.Files()
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".py") })
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return names[s.rnd.IntN(len(names))]
}

func (s *spell) edit() error {
	name := s.some()
	if name == "" {
		return s.add()
	}
	return s.rewrite(name)
}

func (s *spell) rewrite(name string) error {
	s.rev++
	return e2etest.Write(s.root, name, e2etest.Source(s.rnd.IntN(files+40), s.rev, 12+s.rnd.IntN(60)))
}

func (s *spell) add() error {
	s.next++
	s.rev++
	return e2etest.Write(s.root, e2etest.SourceName(s.next), e2etest.Source(s.next%(files+40), s.rev, 12+s.rnd.IntN(60)))
}

func (s *spell) remove() error {
	name := s.some()
	if name == "" {
		return nil
	}
	return os.Remove(filepath.Join(s.root, name))
}

func (s *spell) rename() error {
	name := s.some()
	if name == "" {
		return nil
	}
	s.next++
	return os.Rename(filepath.Join(s.root, name), filepath.Join(filepath.Dir(filepath.Join(s.root, name)), fmt.Sprintf("renamed_%d.py", s.next)))
}

// many rewrites files, each once: of what stood between two rewrites in one change nobody would know.
func (s *spell) many() error {
	done := map[string]bool{"": true}
	for range 20 {
		name := s.some()
		if done[name] {
			continue
		}
		done[name] = true
		if err := s.rewrite(name); err != nil {
			return err
		}
	}
	return nil
}

// checkout commits what there is and goes to another branch, a new one now and then.
func (s *spell) checkout() error {
	if err := e2etest.Commit(s.root, "state"); err != nil {
		return err
	}
	branch := fmt.Sprintf("b%d", s.rnd.IntN(4))
	if e2etest.Git(s.root, "checkout", "-q", branch) == nil {
		return nil
	}
	return e2etest.Git(s.root, "checkout", "-q", "-b", branch)
}

// ignore makes a rule that leaves a folder's untracked files out, or takes it away.
func (s *spell) ignore() error {
	file := filepath.Join(s.root, ".gitignore")
	if _, err := os.Stat(file); err == nil {
		return os.Remove(file)
	}
	return os.WriteFile(file, []byte(fmt.Sprintf("/pkg%d/\n", s.rnd.IntN(7))), 0o600)
}

// index runs "index" beside the daemon, every third time from nothing. On a Redis that is gone it may fail.
func (s *spell) index(context.Context) error {
	args := []string{"index", s.root}
	if s.rnd.IntN(3) == 0 {
		args = append(args, "--full")
	}
	s.beside.Go(func() {
		r, err := s.world.Exec("indexer", args...)
		if err != nil {
			s.fail(err)
		} else if r.Code != 0 && s.redis == nil {
			s.fail(fmt.Errorf("want exit 0 of %v", r))
		}
	})
	return nil
}

func (s *spell) enqueue(context.Context) error {
	r, err := s.world.Exec("indexer", "enqueue", s.root)
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("want exit 0 of %v", r)
	}
	return err
}

func (s *spell) startDaemon() {
	d, err := s.world.Daemon("--watch", s.root, "--reconcile-interval", "2s")
	if err != nil {
		s.fail(err)
		return
	}
	s.daemon = d
}

// kill kills the daemon. It comes back at once, or only when things are to settle.
func (s *spell) kill(ctx context.Context) error {
	if s.daemon == nil || !s.daemon.Alive() {
		s.startDaemon()
		s.pause(ctx, 400)
	}
	s.daemon.Kill()
	err := s.daemon.Crashed()
	if s.rnd.IntN(3) > 0 {
		s.startDaemon()
	}
	return err
}

func (s *spell) term(context.Context) error {
	if s.daemon == nil || !s.daemon.Alive() {
		return nil
	}
	if err := s.daemon.Ready(patient); err != nil { // a signal before it is handled ends any process
		return err
	}
	err := s.daemon.Stop(10*time.Second + slack)
	if s.rnd.IntN(3) > 0 {
		s.startDaemon()
	}
	return err
}

func (s *spell) stopDaemon() {
	s.beside.Wait()
	if s.daemon == nil || !s.daemon.Alive() || s.daemon.Ready(patient) != nil {
		return
	}
	if err := s.daemon.Stop(10*time.Second + slack); err != nil {
		s.fail(err)
	}
}

func (s *spell) redisKill(ctx context.Context) error {
	s.redis.Kill()
	s.pause(ctx, 2000)
	return s.redis.Restart()
}

func (s *spell) redisHang(ctx context.Context) error {
	if err := s.redis.Pause(); err != nil {
		return err
	}
	s.pause(ctx, 2000)
	return s.redis.Resume()
}

func (s *spell) redisFlush(ctx context.Context) error { return s.tell(ctx, "FLUSHALL") }

// redisDrop drops the search indexes.
func (s *spell) redisDrop(ctx context.Context) error {
	c, err := rdb.Worker(s.redis.URL)
	if err != nil {
		return err
	}
	defer c.Close()
	list, err := c.Do(ctx, "FT._LIST").StringSlice()
	for _, name := range list {
		_ = c.Do(ctx, "FT.DROPINDEX", name).Err() // somebody may have been faster
	}
	return err
}

func (s *spell) tell(ctx context.Context, args ...any) error {
	c, err := rdb.Worker(s.redis.URL)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Do(ctx, args...).Err()
}
