//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// index runs "index" beside the daemon, every third time from nothing. It has to succeed where no fault lasts.
func (s *spell) index(context.Context) error {
	s.indexIn(s.world)
	return nil
}

// indexApart is index in a pid namespace of its own.
func (s *spell) indexApart(context.Context) error {
	if err := s.mayIsolate(); err != nil {
		return err
	}
	s.indexIn(s.world.InNamespaces())
	return nil
}

func (s *spell) indexIn(w *e2etest.World) {
	args, calm := s.indexArgs(), s.faulty.calm()
	s.beside.Go(func() {
		r, err := w.Exec("indexer", args...)
		if err != nil {
			s.fail("crash", err)
		} else if r.Code != 0 && s.redis == nil && calm() {
			s.fail("command", fmt.Errorf("want exit 0 of %v", r))
		}
	})
}

func (s *spell) indexArgs() []string {
	args := []string{"index", s.root}
	if s.rnd.IntN(3) == 0 {
		args = append(args, "--full")
	}
	return args
}

// indexKill kills an "index" in its midst.
func (s *spell) indexKill(ctx context.Context) error {
	args := s.indexArgs()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(10+s.rnd.IntN(400))*time.Millisecond)
	defer cancel()
	_, err := s.world.ExecContext(ctx, "indexer", args...)
	switch {
	case err == nil:
		return errSkip // it was faster
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	}
	return err
}

// indexLimited is an "index" whose files cannot grow over a limit.
func (s *spell) indexLimited(context.Context) error {
	_, err := s.world.Limited(1<<(3+s.rnd.IntN(8)), "indexer", s.indexArgs()...)
	return err
}

func (s *spell) enqueue(context.Context) error {
	calm := s.faulty.calm()
	r, err := s.world.Exec("indexer", "enqueue", s.root)
	if err == nil && r.Code != 0 && calm() {
		err = fmt.Errorf("want exit 0 of %v", r)
	}
	return err
}

// mayIsolate is errSkip where this user may not make a pid namespace.
func (s *spell) mayIsolate() error {
	if s.skipped["daemon-pidns"] != "" {
		return errSkip
	}
	_, err := s.world.InNamespaces().Exec("indexer", "--version")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		s.skip("daemon-pidns", err)
		s.skip("index-pidns", err)
		return errSkip
	}
	return err
}
