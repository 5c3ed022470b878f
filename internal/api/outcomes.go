package api

import (
	"net/http"
	"slices"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
)

// outcomes is how the tasks of a project ended, by what their contexts looked like.
type outcomes struct {
	Project string `json:"project"`
	receipt.Outcomes
	Learned []prompt.LearnedOf `json:"learned"` // what they move, by kind of agent and profile
}

func (s *Server) listOutcomes(_ http.ResponseWriter, r *http.Request) (reply, error) {
	a, id, err := s.assemblerFor(r)
	if err != nil {
		return reply{}, err
	}
	found, err := a.Outcomes(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	learned, err := a.WhatIsLearned(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	return ok(outcomes{id, found, learned})
}

// resetLearned forgets what outcomes say about one profile, or about all.
func (s *Server) resetLearned(_ http.ResponseWriter, r *http.Request) (reply, error) {
	a, id, err := s.assemblerFor(r)
	if err != nil {
		return reply{}, err
	}
	name := queryOf(r)["profile"]
	if set := s.opts.App.Profiles; name != "" && !slices.Contains(set.IDs(), name) {
		return reply{}, &fault{slug: notFound, field: "profile", known: set.IDs(),
			err: refuse(notFound, "no profile %.100q", name), hint: "GET /v1/profiles lists all"}
	}
	n, err := a.ResetLearned(r.Context(), id, name)
	if err != nil {
		return reply{}, err
	}
	return ok(client.LearnedReset{Forgotten: n, Profile: name, Project: id})
}
