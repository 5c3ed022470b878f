package api

import (
	"net/http"
	"strings"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/retrieve"
)

func (s *Server) listSkipped(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	n, err := limitOf(q, 100, retrieve.MaxSkipped)
	if err != nil {
		return reply{}, err
	}
	if strings.Trim(q["reason"], "abcdefghijklmnopqrstuvwxyz_") != "" {
		return reply{}, wrong("reason", "want one of those that docs/SKIPPED_FILES.md lists")
	}
	p, err := s.known(r)
	if err != nil {
		return reply{}, err
	}
	list, err := s.opts.App.Answers.Skipped(r.Context(), access.Where{Project: p.ProjectID(), Root: p.Root},
		code.Reason(q["reason"]), n)
	if err != nil {
		return reply{}, asked(err)
	}
	return ok(list)
}
