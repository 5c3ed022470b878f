package api

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/wire"
)

func (s *Server) listBlockers(_ http.ResponseWriter, r *http.Request) (reply, error) {
	state, err := s.state(r)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"blockers": append([]history.Blocker{}, state.Blockers...)})
}

func (s *Server) block(w http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	var b history.Blocker
	if err := decode(w, r, maxBody, false, &lenient{&b}); err != nil {
		return reply{}, err
	}
	if err := taskID("id", b.ID); err != nil {
		return reply{}, err
	}
	h, err := s.opts.App.History()
	if err != nil {
		return reply{}, err
	}
	state, err := h.Load(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	if len(state.Blockers) >= history.MaxBlockers && !slices.ContainsFunc(state.Blockers, func(o history.Blocker) bool {
		return o.ID == b.ID
	}) {
		return reply{}, refuse(conflict, "%d tasks are blocked: unblock some first", len(state.Blockers))
	}
	if b, err = h.Block(r.Context(), id, b); err != nil {
		return reply{}, err
	}
	s.hub.publish(eventBlocker, id, "",
		map[string]any{"change": "blocked", "id": b.ID, "reason": b.Reason, "blocked_at": wire.Time(b.BlockedAt)})
	return reply{code: http.StatusCreated, body: b}, nil
}

// lenient reads what keeps the fields that it does not know; what is wrong with it is the client's.
type lenient struct{ json.Unmarshaler }

func (l *lenient) UnmarshalJSON(data []byte) error {
	if err := l.Unmarshaler.UnmarshalJSON(data); err != nil {
		return &fault{slug: invalidRequest, err: err}
	}
	return nil
}

func (s *Server) unblock(_ http.ResponseWriter, r *http.Request) (reply, error) {
	task, err := pathText(r, "task")
	if err != nil {
		return reply{}, err
	}
	h, id, err := s.historyFor(r)
	if err != nil {
		return reply{}, err
	}
	if err := h.Unblock(r.Context(), id, task); err != nil {
		return reply{}, err
	}
	s.hub.publish(eventBlocker, id, "", map[string]any{"change": "unblocked", "id": task})
	return reply{}, nil
}
