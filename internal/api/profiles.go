package api

import (
	"net/http"
)

func (s *Server) listProfiles(http.ResponseWriter, *http.Request) (reply, error) {
	return ok(map[string]any{"profiles": s.opts.App.Profiles.All()})
}

func (s *Server) getProfile(_ http.ResponseWriter, r *http.Request) (reply, error) {
	name, err := pathText(r, "name")
	if err != nil {
		return reply{}, err
	}
	set := s.opts.App.Profiles
	p, err := set.Get(name)
	if err != nil {
		return reply{}, &fault{slug: notFound, field: "name", known: set.IDs(),
			err: refuse(notFound, "no profile %.100q", name), hint: "GET /v1/profiles lists all"}
	}
	return ok(p.WithEmptyLists())
}
