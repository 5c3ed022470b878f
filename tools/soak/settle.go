//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/tools/soak/campaign"
)

// settle ends the faults and checks that all is as if there had been none.
func (s *spell) settle(ctx context.Context) {
	s.faulty.await("lease")
	s.faulty.finishAll()
	s.beside.Wait()
	if err := s.diedAlone(); err != nil {
		s.fail("crash", err)
	}
	if s.daemon == nil || !s.daemon.Alive() {
		s.startDaemon()
	}
	if d := s.serving(); !d.Alive() {
		if s.turns.Load()%2 == 0 {
			s.fail("crash", fmt.Errorf("the server ended by itself; its log: %s", d.Log()))
		}
		s.startServer()
	}
	if ctx.Err() != nil {
		return
	}
	began := time.Now()
	if err := errors.Join(s.daemon.Ready(patient), s.serving().Ready(patient)); err != nil {
		s.fail("change", err)
		return
	}
	s.find(ctx)
	if err := s.world.EqualsFresh(s.root, s.defined(4), patient); err != nil {
		s.fail("change", fmt.Errorf("%w; the daemon's log: %s", err, s.daemon.Log()))
	} else {
		s.count(func(c *campaign.Counts) { c.Compared++ })
		s.rest.Store(began.UnixNano())
	}
	s.recall(ctx)
	s.count(func(c *campaign.Counts) { c.Settled++ })
}

// ignored reports whether the rule to ignore files may leave a file out; what git tracks stays.
func (s *spell) ignored() func(file string) bool {
	folder := strings.Trim(s.disk.Since(time.Time{})[".gitignore"], "/\n")
	return func(file string) bool { return folder != "" && strings.HasPrefix(file, folder+"/") }
}

// definition is a name that a source defines.
var definition = regexp.MustCompile(`handle_[a-z]+`)

// defined are n names that stand. Of one that stands nowhere an index may say other things than a fresh one: its
// dictionary for misspelt words keeps those that are defined no more, and offers them as long as they stand as other
// words.
func (s *spell) defined(n int) (names []string) {
	texts, ignored := s.disk.Since(time.Time{}), s.ignored()
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if name := definition.FindString(texts[file]); name != "" && !ignored(file) {
			names = append(names, name)
		}
	}
	s.rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:min(n, len(names))]
}

// revision is the word that only one revision of a source has.
var revision = regexp.MustCompile(`step_[a-z]+`)

// mostChanges bounds how many changes are looked for one by one at each rest; the comparison with a fresh index covers
// all.
const mostChanges = 30

// find looks for each file that changed since the last rest by a word that only its last revision has.
func (s *spell) find(ctx context.Context) {
	changed := s.disk.Since(time.Unix(0, s.rest.Load()))
	ignored := s.ignored()
	left := mostChanges
	for name, text := range changed {
		word := revision.FindString(text)
		if word == "" || left == 0 || ignored(name) {
			continue
		}
		left--
		s.count(func(c *campaign.Counts) { c.Changes++ })
		err := e2etest.Eventually(patient, func() error {
			r, err := s.serving().Search(ctx,
				map[string]any{"query": word, "root": s.root, "deadline_ms": 5000, "paths": []string{name}})
			if ctx.Err() != nil {
				return nil
			}
			if err == nil && !r.Has(name) {
				err = fmt.Errorf("%q is not found by %q, which its last revision has: %s %q", name, word,
					r.Status, r.Reasons)
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.fail("change", fmt.Errorf("%w; the daemon's log: %s", err, s.daemon.Log()))
			return
		}
		s.count(func(c *campaign.Counts) { c.Found++ })
	}
}
