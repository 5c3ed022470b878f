package api

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/contextd/contextd/internal/memory"
)

// flashed is the answer to a flash save.
type flashed struct {
	CheckpointID string           `json:"checkpoint_id"`
	Archived     int              `json:"items_archived"`
	HotRetained  int              `json:"hot_items_retained"`
	Items        []item           `json:"items"`    // what the agent goes on with
	Pointers     []memory.Pointer `json:"pointers"` // to what is WARM for want of room
	Refused      []int            `json:"refused"`  // which of the items sent repeat what was injected, from 0
}

func (s *Server) flashSave(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		Project     string  `json:"project"`
		TaskID      string  `json:"task_id"`
		TokensUsed  int     `json:"tokens_used"`
		TokensLimit int     `json:"tokens_limit"`
		HotTokens   int     `json:"hot_tokens"`
		Items       []draft `json:"items"`
	}
	if err := decode(w, r, maxContext, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.mind(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	for name, n := range map[string]int{"tokens_used": q.TokensUsed, "tokens_limit": q.TokensLimit, "hot_tokens": q.HotTokens} {
		if n < 0 {
			return reply{}, wrong(name, "want a whole number from 0 (got %d)", n)
		}
	}
	f := memory.Flash{TaskID: q.TaskID, Used: q.TokensUsed, Limit: q.TokensLimit, Hot: q.HotTokens}
	for _, d := range q.Items {
		f.Drafts = append(f.Drafts, d.plain())
	}
	done, err := m.FlashSave(r.Context(), by, f)
	if of := (*memory.DraftError)(nil); errors.As(err, &of) {
		return reply{}, sentIn(err, fmt.Sprintf("items[%d].", of.Index))
	}
	if err != nil {
		return reply{}, sent(err)
	}
	s.remembered(by, "flash_save", done.Archived+len(done.Saved))
	out := flashed{done.CheckpointID, done.Archived, done.HotRetained, itemsOf(done.Hot), done.Pointers, []int{}}
	for i, x := range done.Saved {
		if x.Refused != nil {
			out.Refused = append(out.Refused, i)
		}
	}
	return ok(out)
}

// listCheckpoints lists an agent's checkpoints, the last one first.
func (s *Server) listCheckpoints(_ http.ResponseWriter, r *http.Request) (reply, error) {
	m, by, err := s.mind(r, "")
	if err != nil {
		return reply{}, err
	}
	all, err := m.Checkpoints(r.Context(), by.Agent)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"checkpoints": append([]memory.Checkpoint{}, all...)})
}

// getCheckpoint shows one with what its items say now.
func (s *Server) getCheckpoint(_ http.ResponseWriter, r *http.Request) (reply, error) {
	m, by, err := s.mind(r, "")
	if err != nil {
		return reply{}, err
	}
	id, err := pathText(r, "checkpoint")
	if err != nil {
		return reply{}, err
	}
	c, err := m.Snapshot(r.Context(), by.Agent, id)
	if err != nil {
		return reply{}, err
	}
	return ok(c)
}

func (s *Server) restore(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		CheckpointID string `json:"checkpoint_id"`
		Project      string `json:"project"`
	}
	if err := decode(w, r, maxBody, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.mind(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	back, err := m.Restore(r.Context(), by, q.CheckpointID)
	if err != nil {
		return reply{}, err
	}
	s.remembered(by, "restore", back.Revived)
	return ok(map[string]any{"checkpoint_id": back.CheckpointID, "revived": back.Revived, "missing": append([]string{}, back.Missing...), "items": itemsOf(back.Hot)})
}

func (s *Server) diffContext(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		Have    []memory.Held `json:"have"`
		Tier    string        `json:"tier"`
		Project string        `json:"project"`
	}
	if err := decode(w, r, maxContext, true, &q); err != nil {
		return reply{}, err
	}
	tiers, err := tiersOf(q.Tier)
	if err != nil {
		return reply{}, err
	}
	m, by, err := s.mind(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	d, err := m.Diff(r.Context(), by, q.Have, tiers...)
	if err != nil {
		return reply{}, sent(err)
	}
	return ok(map[string]any{"added": itemsOf(d.Added), "changed": itemsOf(d.Changed), "dropped": append([]string{}, d.Dropped...), "same": d.Same})
}
