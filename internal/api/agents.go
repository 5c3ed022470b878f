package api

import (
	"cmp"
	"net/http"
	"strings"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/tokens"
	"github.com/contextd/contextd/internal/wire"
)

// The number of items in one list: at most, and where none is asked for.
const (
	maxListed = 10_000
	usualList = 1000
)

func (s *Server) listAgents(_ http.ResponseWriter, r *http.Request) (reply, error) {
	m, err := s.opts.App.Memory()
	if err != nil {
		return reply{}, err
	}
	agents, err := m.Agents(r.Context())
	if !servers.Enough(err, len(agents)) {
		return reply{}, err
	}
	return ok(client.Agents{Agents: append([]string{}, agents...), Servers: wire.Missing(err)})
}

// filterOf reads which items are wanted.
func filterOf(q map[string]string) (f memory.Filter, err error) {
	split := func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, ",")
	}
	f = memory.Filter{Kinds: split(q["kind"]), Tags: split(q["tag"]), Text: q["text"], TaskID: q["task"]}
	if f.Tiers, err = tiersOf(q["tier"]); err != nil {
		return f, err
	}
	for _, name := range split(q["scope"]) {
		scope, err := memory.ParseScope(name)
		if err != nil {
			return f, err
		}
		f.Scopes = append(f.Scopes, scope)
	}
	f.Limit, err = limitOf(q, usualList, maxListed)
	return f, err
}

func (s *Server) listMemory(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	f, err := filterOf(q)
	if err != nil {
		return reply{}, err
	}
	list, missing, err := s.items(r, q["project"], f, (*memory.Memory).List)
	if err != nil {
		return reply{}, err
	}
	return ok(listed{append([]memory.Item{}, list...), missing})
}

// listed is a list of memories as it is sent.
type listed struct {
	Items   []memory.Item         `json:"items"`
	Servers []client.ServerAnswer `json:"servers,omitempty"`
}

func (s *Server) forgetItem(_ http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := pathText(r, "item")
	if err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, queryOf(r)["project"])
	if err != nil {
		return reply{}, err
	}
	if _, err := m.Forget(r.Context(), by, id); err != nil {
		return reply{}, err
	}
	s.remembered(by, "forget", 1)
	return reply{}, nil
}

func (s *Server) memoryStats(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	counter, err := counterOf(q["encoding"])
	if err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q["project"])
	if err != nil {
		return reply{}, err
	}
	stats, err := m.Stats(r.Context(), by, counter.Count)
	if !servers.Enough(err, stats.Total) {
		return reply{}, err
	}
	return ok(stats)
}

// counterOf is the counter of an encoding; "" means the default one.
func counterOf(encoding string) (*tokens.Counter, error) {
	encoding = cmp.Or(encoding, tokens.Default)
	c, err := tokens.For(encoding)
	if err != nil {
		return nil, &fault{slug: invalidRequest, field: "encoding", err: err, known: tokens.Encodings()}
	}
	return c, nil
}
