package api

import (
	"net/http"

	"github.com/contextd/contextd/internal/receipt"
)

// outcomes is how the tasks of a project ended, by what their contexts looked like.
type outcomes struct {
	Project string `json:"project"`
	receipt.Outcomes
}

func (s *Server) listOutcomes(_ http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	found, err := a.Outcomes(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	return ok(outcomes{id, found})
}
