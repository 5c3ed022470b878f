//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/tools/soak/campaign"
)

// perAgent is how many memories an agent is given.
const perAgent = 20

// memories are those whose save was confirmed.
type memories struct {
	project string
	flushes sync.RWMutex // held for reading while one is saved
	mu      sync.Mutex   // guards what follows
	of      map[string]map[string]bool
	fresh   map[string]bool // agents with some that were not yet looked for
	flushed int
}

// flush forgets all together with the store.
func (m *memories) flush(store func() error) error {
	m.flushes.Lock()
	defer m.flushes.Unlock()
	if err := store(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ids := range m.of {
		m.flushed += len(ids)
	}
	m.of, m.fresh = nil, nil
	return nil
}

func (m *memories) add(agent, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of, m.fresh = map[string]map[string]bool{}, map[string]bool{}
	}
	if m.of[agent] == nil {
		m.of[agent] = map[string]bool{}
	}
	m.of[agent][id], m.fresh[agent] = true, true
}

// remember saves until ctx ends, by turns with a command and with the server.
func (s *spell) remember(ctx context.Context, rnd *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		agent := fmt.Sprintf("agent-%d", n/perAgent)
		text := fmt.Sprintf("The %s of the %s waits for %s and %s.", e2etest.Word(rnd.IntN(1<<40)),
			e2etest.Word(rnd.IntN(1<<40)), e2etest.Word(rnd.IntN(1<<40)), e2etest.Word(rnd.IntN(1<<40)))
		s.memory.flushes.RLock()
		var id string
		if n%2 == 0 {
			id = s.saveByCommand(ctx, agent, text)
		} else {
			id = s.saveByServer(ctx, agent, text)
		}
		if id != "" {
			s.memory.add(agent, id)
			s.count(func(c *campaign.Counts) { c.Saved++ })
		}
		s.memory.flushes.RUnlock()
		sleep(ctx, time.Duration(200+rnd.IntN(500))*time.Millisecond)
	}
}

func (s *spell) saveByCommand(ctx context.Context, agent, text string) (id string) {
	r, err := s.world.ExecContext(ctx, "retriever", "memory", "save", text, "--agent", agent, "--project",
		s.memory.project, "--json")
	if err != nil {
		if ctx.Err() == nil {
			s.fail("crash", err)
		}
		return ""
	}
	var doc struct{ ID string }
	if r.Code == 0 && (json.Unmarshal([]byte(r.Out), &doc) != nil || doc.ID == "") {
		s.fail("command", fmt.Errorf("want the id of a memory from %v", r))
	}
	return doc.ID
}

func (s *spell) saveByServer(ctx context.Context, agent, text string) (id string) {
	d := s.serving()
	if d == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	code, body, err := d.Post(ctx, "/api/agents/"+agent+"/context/save",
		map[string]any{"item_type": "FACT", "content": text, "project": s.memory.project})
	if err != nil || code != http.StatusOK {
		return ""
	}
	var doc struct {
		ID string `json:"item_id"`
	}
	if json.Unmarshal(body, &doc) != nil || doc.ID == "" {
		s.fail("command", fmt.Errorf("want the id of a memory from the server: %s", body))
	}
	return doc.ID
}

// recall looks for the memories of the agents that saved some since the last time.
func (s *spell) recall(ctx context.Context) {
	s.memory.mu.Lock()
	fresh := s.memory.fresh
	s.memory.fresh = map[string]bool{}
	s.memory.mu.Unlock()
	for agent := range fresh {
		s.recallOf(ctx, agent)
	}
}

// recallAll looks for all memories and counts those that are there.
func (s *spell) recallAll(ctx context.Context) {
	kept := 0
	for agent := range s.memory.of {
		kept += s.recallOf(ctx, agent)
	}
	s.count(func(c *campaign.Counts) { c.Kept, c.Flushed = kept, s.memory.flushed })
}

// recallOf is how many of an agent's confirmed memories are there. One that is not is a finding, once.
func (s *spell) recallOf(ctx context.Context, agent string) (kept int) {
	s.memory.flushes.RLock()
	defer s.memory.flushes.RUnlock()
	s.memory.mu.Lock()
	want := slices.Collect(maps.Keys(s.memory.of[agent]))
	s.memory.mu.Unlock()
	all := len(want)
	if all == 0 {
		return 0
	}
	r, err := s.world.ExecContext(ctx, "retriever", "memory", "list", "--agent", agent, "--project",
		s.memory.project, "--json")
	var doc struct{ Items []struct{ ID string } }
	if err == nil && r.Code != 2 {
		err = json.Unmarshal([]byte(r.Out), &doc)
	}
	if err != nil || r.Code == 2 {
		if ctx.Err() == nil {
			s.fail("memory", fmt.Errorf("list what %s remembers: %v, %w", agent, r, err))
		}
		return 0
	}
	there := map[string]bool{}
	for _, it := range doc.Items {
		there[it.ID] = true
	}
	lost := slices.DeleteFunc(want, func(id string) bool { return there[id] })
	if len(lost) > 0 {
		s.fail("memory", fmt.Errorf("%s: the saves of %q were confirmed, and they are not among %d memories", agent,
			lost, len(there)))
		s.memory.mu.Lock()
		for _, id := range lost {
			delete(s.memory.of[agent], id)
		}
		s.memory.mu.Unlock()
	}
	return all - len(lost)
}
