package api

import (
	"net/http"

	client "github.com/contextd/contextd/clients/go"
)

// retierContext gives all items that an agent sees their importance and tier as of now.
func (s *Server) retierContext(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q client.RetierRequest
	if err := decode(w, r, maxBody, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.memoryFor(r, q.Project)
	if err != nil {
		return reply{}, err
	}
	n, err := m.Retier(r.Context(), by, q.TaskID)
	if err != nil {
		return reply{}, err
	}
	if n > 0 {
		s.remembered(by, "retier", n)
	}
	return ok(client.Retiered{Changed: n})
}
