//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// everything is all that the server tells of the project and of agents: path → document.
func (s *supervisor) everything(agents ...string) map[string]any {
	s.Helper()
	all := map[string]any{}
	get := func(path string) any {
		s.Helper()
		var v any
		s.call("GET", path, nil, &v)
		all[path] = v
		return v
	}
	get("/v1/projects/" + shop + "/tasks")
	get("/v1/projects/" + shop + "/blockers")
	get("/v1/agents")
	for _, agent := range agents {
		at := "?project=" + shop
		get("/v1/agents/" + agent + "/memory" + at)
		get("/api/agents/" + agent + "/context/archive" + at)
		get("/api/agents/" + agent + "/context/stats" + at)
	}
	list := get("/v1/receipts?limit=500&project=" + shop).(map[string]any)["receipts"].([]any)
	for _, r := range list {
		get("/v1/receipts/" + r.(map[string]any)["id"].(string))
	}
	return all
}

// crashed kills the server and starts another, which has to know all that the first one knew.
func (s *supervisor) crashed(agents ...string) {
	s.Helper()
	before := s.everything(agents...)
	s.crash()
	after := s.everything(agents...)
	for path, want := range before {
		if got := after[path]; !reflect.DeepEqual(got, want) {
			s.Errorf("%s after a crash:\n%v\nbefore:\n%v", path, got, want)
		}
	}
	if len(after) != len(before) {
		s.Errorf("%d documents after a crash, %d before", len(after), len(before))
	}
}

// contents are the texts of items, sorted.
func contents(items []client.Item) (texts []string) {
	for _, it := range items {
		texts = append(texts, it.Content)
	}
	slices.Sort(texts)
	return texts
}

func TestASupervisorFindsEverythingAgainAfterCrashes(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		for _, kind := range kinds {
			s.compile(kind)
		}
		s.crashed("squire-1", "knight-1")

		for _, d := range []client.Draft{
			{ItemType: "TASK", Content: "Delete sessions with their user", TaskID: "task-042"},
			{ItemType: "DECISION", Content: "The accounts get a store of sessions by their constructor."},
			{ItemType: "FACT", Content: "Two tests build Accounts without a constructor."},
			{ItemType: "VERBOSE_LOG", Content: "=== RUN TestDeleteAccountRemovesTheUser"},
		} {
			_, err := s.api.Save(s.Context(), "knight-1", shop, d)
			s.ok(err)
		}
		saved, err := s.api.FlashSave(s.Context(), "knight-1", shop,
			client.Draft{ItemType: "PLAN", Content: "Next: give the constructor its second argument."})
		s.ok(err)
		if saved.CheckpointID == "" || saved.Archived != 1 || saved.HotRetained != len(saved.Items) ||
			len(saved.Items) < 3 {
			s.Errorf("flash save: %+v", saved)
		}
		s.crashed("squire-1", "knight-1")
		hot, err := s.api.Load(s.Context(), "knight-1", shop)
		s.ok(err)
		if got, want := contents(hot), contents(saved.Items); !slices.Equal(got, want) {
			s.Errorf("HOT after the crash: %q, want %q", got, want)
		}

		_, err = s.api.CompleteTask(s.Context(), shop,
			client.Task{ID: "task-042", Intent: "Delete sessions with their user", Success: new(true)},
			"knight-1", "task-044")
		s.ok(err)
		s.ok(s.api.Unblock(s.Context(), shop, "task-043"))
		if hot, err := s.api.Load(s.Context(), "knight-1", shop); err != nil ||
			slices.Contains(contents(hot), "Delete sessions with their user") {
			s.Errorf("the task that is done is HOT still: %q, %v", contents(hot), err)
		}
		s.crashed("squire-1", "knight-1")
		tasks, err := s.api.Tasks(s.Context(), shop, 1)
		s.ok(err)
		blocked, err := s.api.Blockers(s.Context(), shop)
		if err != nil || len(tasks) != 1 || tasks[0].ID != "task-042" || len(blocked) != 0 {
			s.Errorf("tasks %+v, blockers %+v, %v", tasks, blocked, err)
		}

		back, err := s.api.Restore(s.Context(), "knight-1", shop, saved.CheckpointID)
		s.ok(err)
		if got, want := contents(back), contents(saved.Items); !slices.Equal(got, want) {
			s.Errorf("restored %q, want what was HOT at the checkpoint: %q", got, want)
		}
		s.crashed("squire-1", "knight-1")
	})
}

func TestWhatAKilledServerHasConfirmedIsThere(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		for round := range 3 {
			fact := func(i int) string {
				return fmt.Sprintf("In round %d the handler %s was measured as number %d.", round,
					e2etest.Question(1000*round+i), i)
			}
			task := func(i int) string { return fmt.Sprintf("load-%d-%d", round, i) }
			var mu sync.Mutex
			facts, tasks, asked := 0, 0, 0
			var made []string              // ids of contexts
			api, ctx := s.api, s.Context() // those of this round
			var work sync.WaitGroup
			work.Go(func() {
				for i := range 60 {
					mu.Lock()
					asked = i + 1
					mu.Unlock()
					if _, err := api.Save(ctx, "knight-1", shop,
						client.Draft{ItemType: "FACT", Content: fact(i)}); err != nil {
						return
					}
					mu.Lock()
					facts = i + 1
					mu.Unlock()
					if _, err := api.CompleteTask(ctx, shop, client.Task{ID: task(i), Success: new(true)}, "knight-1",
						""); err != nil {
						return
					}
					mu.Lock()
					tasks = i + 1
					mu.Unlock()
					c, err := api.Context(ctx, client.ContextRequest{Project: shop, Agent: "knight-1", Query: fact(i),
						DeadlineMS: 10_000})
					if err != nil {
						return
					}
					if !slices.Contains(c.Reasons, "receipt_not_stored") { // which a busy machine may have to say
						mu.Lock()
						made = append(made, c.ID)
						mu.Unlock()
					}
				}
			})
			s.eventually(func() error {
				mu.Lock()
				defer mu.Unlock()
				if tasks < 5*(round+1) {
					return fmt.Errorf("%d tasks", tasks)
				}
				return nil
			})
			s.crash()
			work.Wait()
			items, err := s.api.Load(s.Context(), "knight-1", shop, "HOT", "WARM", "COLD")
			s.ok(err)
			have := contents(items)
			for i := range facts {
				if !slices.Contains(have, fact(i)) {
					s.Errorf("fact %d of %d is lost", i, facts)
				}
			}
			done, err := s.api.Tasks(s.Context(), shop, 0)
			s.ok(err)
			for i := range tasks {
				if !slices.ContainsFunc(done, func(t client.Task) bool { return t.ID == task(i) }) {
					s.Errorf("task %d of %d is lost", i, tasks)
				}
			}
			for _, id := range made {
				if r := s.receipt(id); r.ID != id || r.Agent != "knight-1" {
					s.Errorf("the receipt of %s: %+v", id, r)
				}
			}
			// What was under way may be there or not; the supervisor says it again, and it is there once.
			last := asked - 1
			if _, err := s.api.Save(s.Context(), "knight-1", shop,
				client.Draft{ItemType: "FACT", Content: fact(last)}); err != nil && !client.Is(err, "injected-text") {
				s.Errorf("said again: %v", err)
			}
			_, err = s.api.CompleteTask(s.Context(), shop, client.Task{ID: task(last), Success: new(true)},
				"knight-1", "")
			if err != nil && !client.Is(err, "conflict") {
				s.Errorf("said again: %v", err)
			}
			items, err = s.api.Load(s.Context(), "knight-1", shop, "HOT", "WARM", "COLD")
			s.ok(err)
			if n := len(slices.DeleteFunc(contents(items), func(text string) bool {
				return text != fact(last)
			})); n != 1 {
				s.Errorf("%q is there %d times", fact(last), n)
			}
		}
	})
}

func TestAKilledIndexerCatchesUpWithWhatWasAskedMeanwhile(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.indexer.Kill()
		s.write("internal/session/audit.go",
			"package session\n\n// WriteAuditTrail notes who logged in and when.\nfunc WriteAuditTrail(user string) {}\n")
		_, err := s.api.Refresh(s.Context(), shop, s.root, "internal/session/audit.go")
		s.ok(err)
		s.startIndexer()
		s.eventually(func() error {
			r, err := s.api.Search(s.Context(),
				client.SearchRequest{Query: "WriteAuditTrail", Project: shop, DeadlineMS: 10_000})
			if err == nil && (len(r.Results) == 0 || r.Results[0].Path != "internal/session/audit.go" ||
				r.Results[0].Freshness != "indexed") {
				err = fmt.Errorf("%s %q: %+v", r.Status, r.Reasons, r.Results)
			}
			return err
		})
		s.upToDate(shop)
		var why struct {
			Indexed bool
			Chunks  int
		}
		if s.call("GET", "/v1/projects/"+shop+"/why?path=internal/session/audit.go", nil, &why); !why.Indexed ||
			why.Chunks == 0 {
			s.Errorf("why: %+v", why)
		}
		s.eventually(func() error {
			q := struct{ Queue struct{ Depth, Dead int } }{}
			err := s.api.Call(s.Context(), "GET", "/v1/queue", nil, nil, &q)
			if err == nil && q.Queue.Depth+q.Queue.Dead > 0 {
				err = errors.New("the queue is not empty")
			}
			return err
		})
	})
}
