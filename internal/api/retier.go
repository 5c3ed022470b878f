package api

import (
	"net/http"
)

// retierContext gives all items that an agent sees their importance and tier as of now.
func (s *Server) retierContext(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		Project string `json:"project"`
		TaskID  string `json:"task_id"`
	}
	if err := decode(w, r, maxBody, true, &q); err != nil {
		return reply{}, err
	}
	m, by, err := s.mind(r, q.Project)
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
	return ok(map[string]int{"changed": n})
}
