package api

import (
	"net/http"

	"github.com/contextd/contextd/internal/history"
)

// importHistory takes over the completed tasks and blockers of a state.
func (s *Server) importHistory(w http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	var old history.State
	if err := decode(w, r, maxContext, false, &lenient{&old}); err != nil {
		return reply{}, err
	}
	h, err := s.opts.App.History()
	if err != nil {
		return reply{}, err
	}
	return result(h.Import(r.Context(), id, old))
}
