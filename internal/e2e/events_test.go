//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// listener hears events until the test ends, or its server.
type listener struct {
	mu     sync.Mutex
	events []client.Event // guarded by mu
	ended  chan struct{}
}

// listen hears the events of some types, or of all, from now on.
func (s *supervisor) listen(types ...string) *listener {
	s.Helper()
	l := &listener{ended: make(chan struct{})}
	ctx, cancel := context.WithCancel(s.Context())
	api := s.api
	go func() {
		defer close(l.ended)
		_ = api.Events(ctx, func(e client.Event) bool { // a server that is killed says nothing more
			l.mu.Lock()
			defer l.mu.Unlock()
			l.events = append(l.events, e)
			return true
		}, types...)
	}()
	s.Cleanup(func() {
		cancel()
		<-l.ended
	})
	s.hears(l, "ready", "", "")
	return l
}

// hears waits for an event of a type of an agent whose data holds a text, and returns its data.
func (s *supervisor) hears(l *listener, kind, agent, text string) json.RawMessage {
	s.Helper()
	var data json.RawMessage
	s.eventually(func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, e := range l.events {
			if e.Type == kind && e.Agent == agent && strings.Contains(string(e.Data), text) &&
				(e.Project == shop || kind == "ready" || kind == "queue_changed") && !e.At.IsZero() {
				data = e.Data
				return nil
			}
		}
		return fmt.Errorf("no event %s of %q with %q among %+v", kind, agent, text, l.events)
	})
	return data
}

func TestASupervisorHearsWhatHappens(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		all, few := s.listen(), s.listen("context_assembled")
		c := s.compile("knight")
		var e struct {
			Task        string `json:"task_id"`
			Kind        string `json:"agent_kind"`
			Profile     string `json:"profile_id"`
			Fingerprint struct{ ID string }
			Selected    int `json:"items_selected"`
			Available   int `json:"items_available"`
			Budget      int `json:"budget_tokens"`
		}
		data := s.hears(all, "context_assembled", "knight-1", c.Fingerprint.ID)
		s.ok(json.Unmarshal(data, &e))
		if e.Task != "task-042" || e.Kind != "knight" || e.Profile != "knight" ||
			e.Fingerprint.ID != c.Fingerprint.ID || e.Selected < 1 || e.Available < e.Selected || e.Budget != 8000 {
			s.Errorf("context_assembled says %+v", e)
		}
		s.save("knight-1", client.Draft{ItemType: "TASK", Content: "Delete sessions with their user",
			TaskID: "task-042"})
		s.hears(all, "memory_changed", "knight-1", `"save"`)
		_, err := s.api.FlashSave(s.Context(), "knight-1", shop)
		s.ok(err)
		s.hears(all, "memory_changed", "knight-1", `"flash_save"`)
		_, err = s.api.CompleteTask(s.Context(), shop, client.Task{ID: "task-042", Success: new(true)},
			"knight-1", "task-043")
		s.ok(err)
		s.hears(all, "task_completed", "knight-1", "task-042")
		s.hears(all, "memory_changed", "knight-1", `"retier"`)
		s.edit("internal/cart/total.go", "a tenth", "ten percent")
		s.refresh(shop, "internal/cart/total.go") // another process indexes, and it is heard all the same
		s.hears(all, "index_changed", "", `"generation"`)
		few.mu.Lock()
		for _, e := range few.events {
			if e.Type != "ready" && e.Type != "context_assembled" {
				s.Errorf("who asked for contexts only hears of %s", e.Type)
			}
		}
		few.mu.Unlock()

		s.crash()
		for _, l := range []*listener{all, few} {
			s.eventually(func() error {
				select {
				case <-l.ended:
					return nil
				default:
					return fmt.Errorf("the listener of a killed server still listens")
				}
			})
		}
		again := s.listen("context_assembled", "task_completed")
		s.compile("squire")
		s.hears(again, "context_assembled", "squire-1", `"squire"`)
	})
}

func TestDeadLettersAreRetriedOverHTTP(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		e.mode.Store("refuses")
		s := &supervisor{bundle: b}
		s.unpack("shop.txtar")
		s.startIndexer()
		s.startServer()
		s.refresh(shop)
		type letter struct {
			ID, Project, Reason string
			Attempts            int
		}
		dead := func() (list []letter, err error) {
			var reply struct{ Dead []letter }
			err = s.api.Call(s.Context(), "GET", "/v1/queue/dead", nil, nil, &reply)
			return reply.Dead, err
		}
		var l letter
		s.eventually(func() error {
			list, err := dead()
			if err == nil && (len(list) != 1 || list[0].Project != shop ||
				!strings.Contains(list[0].Reason, "401 Unauthorized")) {
				err = fmt.Errorf("dead letters: %+v", list)
			}
			if err == nil {
				l = list[0]
			}
			return err
		})
		s.crash()
		if list, err := dead(); err != nil || len(list) != 1 || list[0] != l {
			s.Errorf("after a crash: %+v, %v, want %+v", list, err, l)
		}
		heard := s.listen("queue_changed", "index_changed")
		e.mode.Store("up")
		var done struct{ Retried, Unknown int }
		if s.call("POST", "/v1/queue/dead/retry", map[string]any{"ids": []string{l.ID, "none"}},
			&done); done.Retried != 1 || done.Unknown != 1 {
			s.Errorf("retry: %+v", done)
		}
		s.upToDate(shop)
		s.hears(heard, "index_changed", "", shop)
		if list, err := dead(); err != nil || len(list) != 0 {
			s.Errorf("dead letters: %+v, %v", list, err)
		}
		s.eventually(func() error {
			r, err := s.api.Search(s.Context(),
				client.SearchRequest{Query: "DeleteSessionsOf", Project: shop, DeadlineMS: 10_000})
			if err == nil && (r.Status != "ok" || r.Results[0].Path != "internal/session/store.go") {
				err = fmt.Errorf("%s %q: %+v", r.Status, r.Reasons, r.Results)
			}
			return err
		})
	})
}
