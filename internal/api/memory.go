package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/contextd/contextd/internal/memory"
)

// item is what an agent remembers, in the words of the agent-context endpoints; /v1 uses memory's own.
type item struct {
	ItemID          string            `json:"item_id"`
	AgentID         string            `json:"agent_id"`
	Project         string            `json:"project"`
	Scope           memory.Scope      `json:"scope"`
	ItemType        string            `json:"item_type"`
	Content         string            `json:"content"`
	ImportanceScore float64           `json:"importance_score"`
	Tier            memory.Tier       `json:"tier"`
	AccessCount     int               `json:"access_count"`
	CreatedAt       string            `json:"created_at"`
	LastAccessed    string            `json:"last_accessed"`
	TaskID          string            `json:"task_id"`
	Tags            []string          `json:"tags"`
	Citations       []memory.Citation `json:"citations"`
	Verify          bool              `json:"verify"`
	Archived        bool              `json:"archived"`
	Hash            string            `json:"hash"`
	ID              string            `json:"id"`    // item_id, and the next two, as the design's reader names them
	Type            string            `json:"type"`  // item_type
	Score           float64           `json:"score"` // importance_score
}

func itemOf(it *memory.Item) item {
	return item{ItemID: it.ID, AgentID: it.AgentID, Project: it.Project, Scope: it.Scope, ItemType: strings.ToUpper(string(it.Kind)), Content: it.Content,
		ImportanceScore: it.Importance, Tier: it.Tier, AccessCount: it.AccessCount, CreatedAt: stamp(it.CreatedAt), LastAccessed: stamp(it.LastAccessed),
		TaskID: it.TaskID, Tags: append([]string{}, it.Tags...), Citations: append([]memory.Citation{}, it.Citations...), Verify: it.Verify, Archived: it.Archived,
		Hash: it.Hash, ID: it.ID, Type: strings.ToUpper(string(it.Kind)), Score: it.Importance}
}

func itemsOf(list []memory.Item) []item {
	out := make([]item, 0, len(list))
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

// mind is the memory, and whose part of it a request is about: the agent in its path, on a project.
func (s *Server) mind(r *http.Request, project string) (m *memory.Memory, by memory.Who, err error) {
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
	s.hub.publish(eventMemory, w.Project, w.Agent, map[string]any{"change": what, "items": items})
}

// draft is one thing to remember as a client sends it.
type draft struct {
	ItemType        string            `json:"item_type"`
	Content         string            `json:"content"`
	ImportanceScore *float64          `json:"importance_score"`
	Scope           string            `json:"scope"`
	TaskID          string            `json:"task_id"`
	Tags            []string          `json:"tags"`
	Citations       []memory.Citation `json:"citations"`
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
var sentAs = map[string]string{"agent": "agent_id", "kind": "item_type", "importance": "importance_score", "tag": "tags", "held": "have", "id": "have.id", "ids": "have",
	"citation path": "citations.path", "citation span": "citations.span", "citation hash": "citations.hash"}

func (d draft) plain() memory.Draft {
	return memory.Draft{Kind: d.ItemType, Scope: d.Scope, Content: d.Content, Importance: d.ImportanceScore, TaskID: d.TaskID, Tags: d.Tags, Citations: d.Citations}
}

// savedItem is the answer to a save.
type savedItem struct {
	ItemID   string      `json:"item_id"`
	Tier     memory.Tier `json:"tier"`
	Merged   bool        `json:"merged"`   // it was there already
	Redacted []string    `json:"redacted"` // rules of secrets that were replaced
}

func (s *Server) saveItem(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		draft
		Project string `json:"project"`
	}
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.mind(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	saved, err := m.Save(r.Context(), by, q.plain())
	if err != nil {
		return reply{}, sent(err)
	}
	s.remembered(by, "save", 1)
	return ok(savedItem{saved.Item.ID, saved.Item.Tier, saved.Merged, append([]string{}, saved.Redacted...)})
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
	list, err := s.items(r, q["project"], memory.Filter{Tiers: tiers}, (*memory.Memory).List)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"items": itemsOf(list)})
}

func (s *Server) listArchive(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	list, err := s.items(r, q["project"], memory.Filter{}, (*memory.Memory).Archive)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"items": itemsOf(list)})
}

// items lists what the agent in a request's path may see.
func (s *Server) items(r *http.Request, project string, f memory.Filter,
	list func(*memory.Memory, context.Context, memory.Who, memory.Filter) ([]memory.Item, error)) ([]memory.Item, error) {
	m, by, err := s.mind(r, project)
	if err != nil {
		return nil, err
	}
	return list(m, r.Context(), by, f)
}
