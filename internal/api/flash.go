package api

import (
	"errors"
	"fmt"
	"net/http"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/memory"
)

func (s *Server) flashSave(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.FlashRequest
	if err := decode(w, r, maxContext, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	for name, n := range map[string]int{
		"tokens_used":  q.TokensUsed,
		"tokens_limit": q.TokensLimit,
		"hot_tokens":   q.HotTokens,
	} {
		if n < 0 {
			return reply{}, wrong(name, "want a whole number from 0 (got %d)", n)
		}
	}
	f := memory.Flash{TaskID: q.TaskID, Used: q.TokensUsed, Limit: q.TokensLimit, Hot: q.HotTokens}
	for _, d := range q.Items {
		f.Drafts = append(f.Drafts, draftOf(d))
	}
	done, err := m.FlashSave(r.Context(), by, f)
	if of := (*memory.DraftError)(nil); errors.As(err, &of) {
		return reply{}, sentIn(err, fmt.Sprintf("items[%d].", of.Index))
	}
	if err != nil {
		return reply{}, sent(err)
	}
	s.remembered(by, "flash_save", done.Archived+len(done.Saved))
	out := client.Flashed{CheckpointID: done.CheckpointID, Archived: done.Archived, HotRetained: done.HotRetained,
		Items: itemsOf(done.Hot), Pointers: make([]client.Pointer, len(done.Pointers)), Refused: []int{}}
	for i, p := range done.Pointers {
		out.Pointers[i] = client.Pointer{ID: p.ID, Type: string(p.Kind), Line: p.Line}
	}
	for i, x := range done.Saved {
		if x.Refused != nil {
			out.Refused = append(out.Refused, i)
		}
	}
	return ok(out)
}

// listCheckpoints lists an agent's checkpoints, the last one first.
func (s *Server) listCheckpoints(_ http.ResponseWriter, r *http.Request) (reply, error) {
	m, by, err := s.memoryFor(r, "")
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
	m, by, err := s.memoryFor(r, "")
	if err != nil {
		return reply{}, err
	}
	id, err := pathText(r, "checkpoint")
	if err != nil {
		return reply{}, err
	}
	return result(m.Snapshot(r.Context(), by.Agent, id))
}

func (s *Server) restore(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.RestoreRequest
	if err := decode(w, r, maxBody, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	back, err := m.Restore(r.Context(), by, q.CheckpointID)
	if err != nil {
		return reply{}, err
	}
	s.remembered(by, "restore", back.Revived)
	return ok(client.Restored{CheckpointID: back.CheckpointID, Items: itemsOf(back.Hot),
		Missing: append([]string{}, back.Missing...), Revived: back.Revived})
}

func (s *Server) diffContext(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.ContextDiffRequest
	if err := decode(w, r, maxContext, true, &q); err != nil {
		return reply{}, err
	}
	tiers, err := tiersOf(q.Tier)
	if err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	have := make([]memory.Held, len(q.Have))
	for i, h := range q.Have {
		have[i] = memory.Held(h)
	}
	d, err := m.Diff(r.Context(), by, have, tiers...)
	if err != nil {
		return reply{}, sent(err)
	}
	return ok(client.Delta{Added: itemsOf(d.Added), Changed: itemsOf(d.Changed),
		Dropped: append([]string{}, d.Dropped...), Same: d.Same})
}
