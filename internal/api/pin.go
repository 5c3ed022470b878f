package api

import (
	"encoding/json"
	"net/http"
)

// pinItem sets the importance of one item, or lets it fade again.
func (s *Server) pinItem(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q struct {
		Pinned json.RawMessage `json:"pinned"` // a number, or null; it has to be there
	}
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	var to *float64
	if json.Unmarshal(q.Pinned, &to) != nil {
		return reply{}, wrong("pinned", "want a number from 0 to 1, or null")
	}
	m, by, err := s.memoryFor(r, queryOf(r)["project"])
	if err != nil {
		return reply{}, err
	}
	id, err := pathText(r, "item")
	if err != nil {
		return reply{}, err
	}
	it, err := m.Pin(r.Context(), by, id, to)
	if err != nil {
		return reply{}, err
	}
	s.remembered(by, "pin", 1)
	return ok(it)
}
