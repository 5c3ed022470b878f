package api

import (
	"encoding/json"
	"net/http"

	"github.com/contextd/contextd/internal/history"
)

// oldState is a state that something else kept: fields that are not known are kept, so none is refused.
type oldState struct{ history.State }

func (s *oldState) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &s.State); err != nil {
		return &fault{slug: invalidRequest, err: err}
	}
	return nil
}

// importHistory takes over the completed tasks and blockers of a state.
func (s *Server) importHistory(w http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	var old oldState
	if err := decode(w, r, maxContext, false, &old); err != nil {
		return reply{}, err
	}
	h, err := s.opts.App.History()
	if err != nil {
		return reply{}, err
	}
	done, err := h.Import(r.Context(), id, old.State)
	if err != nil {
		return reply{}, err
	}
	return ok(done)
}
