//go:build unix

package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	client "github.com/contextd/contextd/clients/go"
)

func (s *supervisor) profiles() {
	s.sameAs("/v1/profiles", "profiles", "profiles", "list")
	s.sameAs("/v1/profiles/knight", "", "profiles", "show", "knight")
	p, err := s.api.Profile(s.Context(), "knight")
	s.ok(err)
	p.SystemPrompt, p.Sections = "You are the pilot.",
		[]client.ProfileSection{{Name: "Order", Source: "task"}, {Name: "Places", Source: "code"}}
	c := s.compile("knight", func(r *client.ContextRequest) { r.Profile = p })
	if !strings.HasPrefix(c.Messages[0].Content, "You are the pilot.") ||
		!slices.Equal(sectionsOf(c), []string{"Order", "Places"}) || c.Fingerprint.Profile != "knight-override" {
		s.Errorf("by the profile of the request: %q, %+v", sectionsOf(c), c)
	}
	c = s.compile("pilot", func(r *client.ContextRequest) { // of a kind that nobody knows
		r.Profile = map[string]any{"sections": []map[string]string{{"name": "Course", "source": "task"}}}
	})
	if !slices.Equal(sectionsOf(c), []string{"Course"}) {
		s.Errorf("a new kind of agent has %q", sectionsOf(c))
	}
}

func (s *supervisor) testOfFile() {
	for kind, want := range map[string]bool{"knight": true, "squire": false} {
		c := s.compile(kind, bare, func(r *client.ContextRequest) {
			r.Task.Title, r.Task.Description, r.Task.Acceptance, r.Task.Issue, r.Task.DesignDocument = "Mend DeleteAccount", "It keeps sessions.", nil, nil, ""
		})
		if text := section(c, "Relevant Code"); strings.Contains(text, "internal/account/delete_test.go:") != want {
			s.Errorf("a %s sees the test: %v:\n%s", kind, !want, text)
		}
	}
}

// learned are the numbers that outcomes have moved in a context of an agent.
func (s *supervisor) learned(kind string) []client.Learned {
	s.Helper()
	r, err := s.api.Receipt(s.Context(), s.compile(kind).ID)
	s.ok(err)
	return r.Learned
}

func (s *supervisor) outcomes() {
	const n = 24
	for i := range n { // tasks with context succeed, those without do not
		id, good := fmt.Sprintf("school-%d", i), i%2 == 0
		for _, kind := range []string{"knight", "squire"} {
			s.compile(kind, func(r *client.ContextRequest) { r.Task.ID, r.Task.RequiresContext = id, &good })
		}
		_, err := s.api.CompleteTask(s.Context(), shop, client.Task{ID: id, Success: new(good)}, "", "")
		s.ok(err)
	}
	told, err := s.api.Outcomes(s.Context(), shop)
	s.ok(err)
	var said client.Outcomes
	s.command(&said, "stats", "--project", shop)
	if !reflect.DeepEqual(said.Agents, told.Agents) || !reflect.DeepEqual(said.Shapes, told.Shapes) ||
		len(told.Tasks) == 0 {
		s.Errorf("the command says\n%+v\nthe server\n%+v", said, told)
	}
	for _, kind := range []string{"knight", "squire"} {
		i := slices.IndexFunc(told.Agents, func(a client.Succeeds) bool {
			return a.AgentKind == kind && a.Profile == kind
		})
		if i < 0 || told.Agents[i].Succeeded != n/2 || told.Agents[i].Failed != n/2 {
			s.Errorf("outcomes of a %s: %+v", kind, told.Agents)
		}
	}
	list := s.learned("knight")
	if len(list) == 0 {
		s.Error("nothing was learnt")
	}
	for _, l := range list {
		if l.To == l.From || math.Abs(l.To-l.From) > .3*l.From || l.Outcomes < n {
			s.Errorf("learnt %+v", l)
		}
	}
	if l := s.learned("squire"); len(l) > 0 {
		s.Errorf("a profile that may not learn has learnt %+v", l)
	}
	forgotten, err := s.api.ResetLearned(s.Context(), shop, "")
	if s.ok(err); forgotten < n || len(s.learned("knight")) > 0 {
		s.Errorf("%d outcomes are forgotten, and this is still learnt: %+v", forgotten, s.learned("knight"))
	}
}

func (s *supervisor) backlog() {
	s.upToDate(shop)
	s.ok(s.indexer.Pause())
	for _, p := range []string{"session", "account", "cart"} {
		_, err := s.api.Refresh(s.Context(), p, filepath.Join(s.root, "internal", p))
		s.ok(err)
	}
	const question = "what does DeleteSessionsOf do"
	for mode, want := range map[string]bool{"skip": false, "verify": true} {
		c, err := s.api.Context(s.Context(),
			client.ContextRequest{Project: shop, Query: question, Stale: mode, DeadlineMS: 10_000})
		s.ok(err)
		r, err := s.api.Search(s.Context(),
			client.SearchRequest{Project: shop, Query: question, Stale: mode, DeadlineMS: 10_000})
		s.ok(err)
		if !slices.Contains(c.Reasons, "backlog") || !slices.Contains(r.Reasons, "backlog") ||
			(section(c, "Relevant Code") != "") != want || (len(r.Results) > 0) != want {
			s.Errorf("%s: context %q, search %q with %d results:\n%s", mode, c.Reasons, r.Reasons,
				len(r.Results), textOf(c))
		}
	}
	s.ok(s.indexer.Resume())
	s.upToDate("cart")
	before, err := s.api.Project(s.Context(), shop)
	s.ok(err)
	s.refresh(shop) // nothing has changed
	s.eventually(func() error {
		now, err := s.api.Project(s.Context(), shop)
		if err == nil && (now.IndexedAt == before.IndexedAt || now.Generation != before.Generation) {
			err = fmt.Errorf("before %+v, now %+v", before, now)
		}
		return err
	})
}
