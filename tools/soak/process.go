//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// lease is longer than any lease of the product.
const lease = 33 * time.Second

func (s *spell) serving() *e2etest.Daemon {
	d, _ := s.server.Load().(*e2etest.Daemon)
	return d
}

// home is the world of the next daemon. While one that is stopped holds the state directory another one stands in, as
// on another machine.
func (s *spell) home() *e2etest.World {
	if s.redis != nil && s.faulty.on("lease") {
		return s.world.Through(s.world.Redis, "standin")
	}
	return s.world
}

func (s *spell) startDaemon() { s.startDaemonIn(s.home()) }

func (s *spell) startDaemonIn(w *e2etest.World) {
	d, err := w.Daemon("--watch", s.root, "--reconcile-interval", "2s")
	if err != nil {
		s.fail("soak", err)
		return
	}
	s.daemon, s.down = d, false
}

// endDaemon kills the daemon, which may have crashed before.
func (s *spell) endDaemon() error {
	if s.daemon == nil {
		return nil
	}
	err := s.diedAlone()
	s.daemon.Kill()
	s.down = true
	return errors.Join(err, s.daemon.Crashed())
}

// diedAlone is an error if the daemon has ended though no step ended it.
func (s *spell) diedAlone() error {
	if s.daemon == nil || s.down || s.daemon.Alive() {
		return nil
	}
	s.down = true
	if strings.Contains(s.daemon.Log(), "error: write ") &&
		strings.Contains(s.daemon.Log(), "no space left on device") && !s.daemon.Logged("daemon runs") {
		return nil // on a full disk it may say so and not start
	}
	return fmt.Errorf("the daemon ended by itself; its log: %s", s.daemon.Log())
}

// comesBack reports whether a process comes back at once, or only when things are to settle.
func (s *spell) comesBack() bool { return s.rnd.IntN(3) > 0 }

func (s *spell) daemonKill(ctx context.Context) error {
	if s.daemon == nil || !s.daemon.Alive() {
		if err := s.diedAlone(); err != nil {
			return err
		}
		s.startDaemon()
		s.doze(ctx, 400)
	}
	err := s.endDaemon()
	if s.comesBack() {
		s.startDaemon()
	}
	return err
}

// upright waits until a process answers at all, which it does once it handles signals.
func (s *spell) upright(d *e2etest.Daemon) error {
	return e2etest.Eventually(patient, func() error {
		if !d.Alive() {
			return nil
		}
		if code, body := d.Get("/healthz"); code != http.StatusOK {
			return fmt.Errorf("/healthz says %d, %s; its log: %s", code, body, d.Log())
		}
		return nil
	})
}

func (s *spell) daemonTerm(context.Context) error {
	s.faulty.finish("stop")
	if s.daemon == nil || !s.daemon.Alive() || s.redis == nil && s.faulty.on("lease") {
		return cmp.Or(s.diedAlone(), errSkip)
	}
	if err := s.upright(s.daemon); err != nil {
		return err
	}
	if !s.daemon.Alive() {
		return cmp.Or(s.diedAlone(), errSkip)
	}
	err := s.daemon.Stop(10*time.Second + slack)
	s.down = true
	if s.comesBack() {
		s.startDaemon()
	}
	return err
}

// daemonStop stops the daemon for a while, as a machine that swaps does.
func (s *spell) daemonStop(context.Context) error {
	d := s.daemon
	if d == nil || !d.Alive() || s.faulty.on("lease") {
		return errSkip
	}
	if err := d.Pause(); err != nil {
		return err
	}
	s.faulty.begin("stop", s.aWhile(), func() { _ = d.Resume() })
	return nil
}

// daemonStopLease stops the daemon for longer than its leases. On Redis another one works meanwhile.
func (s *spell) daemonStopLease(context.Context) error {
	d := s.daemon
	if d == nil || !d.Alive() || s.faulty.on("lease") {
		return errSkip
	}
	s.faulty.finish("stop")
	if err := d.Pause(); err != nil {
		return err
	}
	s.faulty.begin("lease", lease, func() {
		_ = d.Resume()
		if s.redis == nil || !d.Alive() {
			return
		}
		time.Sleep(2 * time.Second) // what it writes late must change nothing
		d.Kill()
		if err := d.Crashed(); err != nil {
			s.fail("crash", err)
		}
	})
	if s.redis != nil {
		s.startDaemon()
	}
	return nil
}

// daemonApart puts a daemon into a pid namespace of its own in place of the one that runs.
func (s *spell) daemonApart(context.Context) error {
	if err := s.mayIsolate(); err != nil {
		return err
	}
	err := s.endDaemon()
	s.startDaemonIn(s.home().InNamespaces())
	return err
}

func (s *spell) startServer() {
	d, err := s.world.Serve("--allow-root", s.root)
	if err != nil {
		s.fail("soak", err)
		return
	}
	s.server.Store(d)
	if s.turns.Load()%2 == 1 {
		s.turns.Add(1)
	}
}

func (s *spell) serverKill(ctx context.Context) error {
	s.faulty.finish("server")
	d := s.serving()
	if d == nil {
		return errSkip
	}
	if !d.Alive() && s.turns.Load()%2 == 0 {
		return fmt.Errorf("the server ended by itself; its log: %s", d.Log())
	}
	if s.turns.Load()%2 == 0 {
		s.turns.Add(1)
	}
	d.Kill()
	err := d.Crashed()
	s.doze(ctx, 200)
	s.startServer()
	return err
}

func (s *spell) serverStop(context.Context) error {
	d := s.serving()
	if d == nil || !d.Alive() || s.turns.Load()%2 == 1 {
		return errSkip
	}
	s.turns.Add(1)
	if err := d.Pause(); err != nil {
		return err
	}
	s.faulty.begin("server", s.aWhile(), func() {
		_ = d.Resume()
		s.turns.Add(1)
	})
	return nil
}
