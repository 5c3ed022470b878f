package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

// itemOf is what an agent remembers, in the words of the agent-context endpoints; /v1 uses memory's own.
func itemOf(it *memory.Item) client.Item {
	kind := strings.ToUpper(string(it.Kind))
	return client.Item{ID: it.ID, Agent: it.AgentID, Project: it.Project, Scope: string(it.Scope), ItemType: kind,
		Content: it.Content, Importance: it.Importance, Tier: string(it.Tier), AccessCount: it.AccessCount,
		CreatedAt: it.CreatedAt.UTC(), LastAccessed: it.LastAccessed.UTC(), TaskID: it.TaskID,
		Tags: append([]string{}, it.Tags...), Citations: cited(it.Citations), Verify: it.Verify, Archived: it.Archived,
		Hash: it.Hash, AliasID: it.ID, Type: kind, Score: it.Importance}
}

// cited are citations on the wire.
func cited(list []memory.Citation) []client.Citation {
	out := make([]client.Citation, len(list))
	for i, c := range list {
		out[i] = client.Citation{Path: c.Path, Span: (*client.Span)(c.Span), Hash: c.Hash}
	}
	return out
}

func itemsOf(list []memory.Item) []client.Item {
	out := make([]client.Item, 0, len(list))
	for i := range list {
		out = append(out, itemOf(&list[i]))
	}
	return out
}

// agentOf is the agent in a request's path, on a project.
func agentOf(r *http.Request, project string) (memory.Who, error) {
	agent, err := pathText(r, "agent_id")
	if err != nil {
		return memory.Who{}, err
	}
	return who(agent, project)
}

// memoryFor is the memory, and whose part of it a request is about: the agent in its path, on a project.
func (s *Server) memoryFor(r *http.Request, project string) (m *memory.Memory, by memory.Who, err error) {
	if by, err = agentOf(r, project); err != nil {
		return nil, by, err
	}
	m, err = s.opts.App.Memory()
	return m, by, err
}

func who(agent, project string) (memory.Who, error) {
	if agent == "" || len(agent) > 200 {
		return memory.Who{}, wrong("agent_id", "want its id, 1 to 200 bytes")
	}
	by := memory.Who{Agent: agent, Project: project}
	if project != "" {
		if _, err := whereOf(project, ""); err != nil {
			return memory.Who{}, err
		}
	}
	return by, sent(by.Check(""))
}

// remembered tells listeners that an agent's memory was changed.
func (s *Server) remembered(w memory.Who, what string, items int) {
	s.hub.publish(eventMemory, w.Project, w.Agent, client.MemoryChange{Change: what, Items: items})
}

// sent names the field of an error as the client sent it: the agent-context endpoints have words of their own.
func sent(err error) error { return sentIn(err, "") }

// sentIn is sent for a field of an object that lies elsewhere than at the top: at prefix.
func sentIn(err error, prefix string) error {
	var bad *memory.Invalid
	if !errors.As(err, &bad) {
		return err
	}
	named := *bad
	if name := sentAs[bad.Field]; name != "" {
		named.Field = name
	}
	named.Field = prefix + named.Field
	return &named
}

// sentAs are fields of memory by what clients of the agent-context endpoints call them.
var sentAs = map[string]string{"agent": "agent_id", "kind": "item_type", "importance": "importance_score",
	"tag": "tags", "held": "have", "id": "have.id", "ids": "have",
	"citation path": "citations.path", "citation span": "citations.span", "citation hash": "citations.hash"}

// draftOf is one thing to remember as a client sends it.
func draftOf(d client.Draft) memory.Draft {
	out := memory.Draft{Kind: d.ItemType, Scope: d.Scope, Content: d.Content, Importance: d.Importance,
		TaskID: d.TaskID, Tags: d.Tags}
	for _, c := range d.Citations {
		out.Citations = append(out.Citations, memory.Citation{Path: c.Path, Span: (*memory.Span)(c.Span), Hash: c.Hash})
	}
	return out
}

func (s *Server) saveItem(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.SaveRequest
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	saved, err := m.Save(r.Context(), by, draftOf(q.Draft))
	if err != nil {
		return reply{}, sent(err)
	}
	s.remembered(by, "save", 1)
	return ok(client.Saved{ID: saved.Item.ID, Tier: string(saved.Item.Tier), Merged: saved.Merged,
		Redacted: append([]string{}, saved.Redacted...)})
}

// tiersOf reads a list of tiers, separated by commas; "all" means all, nothing means none.
func tiersOf(text string) ([]memory.Tier, error) {
	if strings.EqualFold(text, "all") {
		return memory.Tiers(), nil
	}
	var out []memory.Tier
	for name := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		t, err := memory.ParseTier(name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (s *Server) loadContext(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	tiers, err := tiersOf(q["tier"])
	if err != nil {
		return reply{}, err
	}
	if len(tiers) == 0 {
		tiers = []memory.Tier{memory.Hot}
	}
	list, missing, err := s.items(r, q["project"], memory.Filter{Tiers: tiers}, (*memory.Memory).List)
	if err != nil {
		return reply{}, err
	}
	return ok(client.ContextItems{Items: itemsOf(list), Servers: missing})
}

func (s *Server) listArchive(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	list, missing, err := s.items(r, q["project"], memory.Filter{}, (*memory.Memory).Archive)
	if err != nil {
		return reply{}, err
	}
	return ok(client.ContextItems{Items: itemsOf(list), Servers: missing})
}

// items lists what the agent in a request's path may see; missing are the servers, where some of several did not answer.
func (s *Server) items(
	r *http.Request, project string, f memory.Filter,
	list func(*memory.Memory, context.Context, memory.Who, memory.Filter) ([]memory.Item, error),
) (items []memory.Item, missing []client.ServerAnswer, err error) {
	m, by, err := s.memoryFor(r, project)
	if err != nil {
		return nil, nil, err
	}
	items, err = list(m, r.Context(), by, f)
	if !servers.Enough(err, len(items)) {
		return nil, nil, err
	}
	return items, wire.Missing(err), nil
}
