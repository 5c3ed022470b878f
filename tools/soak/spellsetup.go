//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

func (s *spell) setUp() (err error) {
	if err := os.MkdirAll(s.root, 0o700); err != nil {
		return fmt.Errorf("make a root: %w", err)
	}
	if s.place.Backing == "redis" {
		if err := s.startRedis(filepath.Join(filepath.Dir(s.root), "redis")); err != nil {
			return err
		}
	}
	if s.place.Embedder == "openai" {
		s.embed = newEmbedder()
		s.world.Env = append(s.world.Env, "CONTEXTD_EMBEDDER=openai", "CONTEXTD_EMBEDDER_URL="+s.embed.server.URL,
			"CONTEXTD_EMBEDDER_MODEL=test", "OPENAI_API_KEY=")
	}
	if s.bench.clock != nil {
		s.skip("clock-jump", s.bench.clock)
	} else {
		s.clock = filepath.Join(filepath.Dir(s.root), "clock")
		s.world.Env = append(s.world.Env, clockVar+"="+s.clock)
	}
	if err := s.mount(); err != nil {
		s.skip("disk-full", err)
	}
	if err := e2etest.Tree(s.root, 0, files, 0, 20); err != nil {
		return err
	}
	if err := e2etest.Commit(s.root, "first"); err != nil {
		return err
	}
	s.source = files
	if s.disk, err = e2etest.NewDisk(s.root); err != nil {
		return err
	}
	s.startDaemon()
	s.startServer()
	if err := s.world.Settled(s.root, patient); err != nil {
		return err
	}
	p, err := s.world.Project(s.root)
	s.memory.project = p.Project
	return err
}

// skip notes that a kind of fault cannot be done here.
func (s *spell) skip(kind string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped[kind] = err.Error()
}

// end stops the processes, each of which has to end well.
func (s *spell) end() {
	for _, d := range []*e2etest.Daemon{s.daemon, s.serving()} {
		if d == nil || !d.Alive() || s.upright(d) != nil {
			continue
		}
		if err := d.Stop(10*time.Second + slack); err != nil {
			s.fail("command", err)
		}
	}
}

// tearDown leaves nothing behind, whatever went wrong.
func (s *spell) tearDown() {
	s.faulty.finishAll()
	s.beside.Wait()
	for _, d := range []*e2etest.Daemon{s.daemon, s.serving()} {
		if d != nil && d.Alive() {
			d.Kill()
		}
	}
	if s.embed != nil {
		s.embed.close()
	}
	if s.relay != nil {
		s.relay.Close()
	}
	if s.redis != nil {
		s.redis.Kill()
	}
	s.unmount()
}
