package api

import (
	"context"
	"net/http"

	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/usage"
)

// assembled tells listeners that a context was made.
func (s *Server) assembled(e prompt.Event) { s.hub.publish(eventAssembled, e.Project, e.Agent, e) }

// assembler makes contexts, for what cannot be done without a store.
func (s *Server) assembler() (*prompt.Assembler, error) {
	a := s.opts.App.Prompts()
	if a.Store == nil {
		return nil, refuse(unavailable, "the store of what is remembered cannot be opened")
	}
	return a, nil
}

// assemblerFor is the assembler, and the project in a request's path.
func (s *Server) assemblerFor(r *http.Request) (a *prompt.Assembler, project string, err error) {
	if project, err = projectID(r); err != nil {
		return nil, "", err
	}
	a, err = s.assembler()
	return a, project, err
}

func (s *Server) buildContext(w http.ResponseWriter, r *http.Request) (reply, error) {
	q := prompt.Request{DeadlineMS: 200}
	if err := decode(w, r, maxContext, false, &q); err != nil {
		return reply{}, err
	}
	if _, err := deadlineOf(float64(q.DeadlineMS)); err != nil {
		return reply{}, err
	}
	if _, err := whereOf(q.Project, q.Root); err != nil {
		return reply{}, err
	}
	c, err := s.opts.App.Prompts().Build(r.Context(), q)
	if err != nil {
		return reply{}, err
	}
	s.assembled(c.Event)
	compiled(c)
	return ok(c)
}

func (s *Server) feedback(w http.ResponseWriter, r *http.Request) (reply, error) {
	var f prompt.Feedback
	if err := decode(w, r, maxContext, false, &f); err != nil {
		return reply{}, err
	}
	return byReceipt(s, r, func(a *prompt.Assembler, ctx context.Context, id string) (*usage.Report, error) {
		return a.Feedback(ctx, id, f)
	})
}

func (s *Server) listReceipts(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	if _, err := whereOf(q["project"], ""); err != nil {
		return reply{}, err
	}
	n, err := limitOf(q, 20, prompt.MaxReceipts)
	if err != nil {
		return reply{}, err
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	list, err := a.Receipts(r.Context(), q["project"], n)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"receipts": append([]*receipt.Receipt{}, list...)})
}

func (s *Server) getReceipt(_ http.ResponseWriter, r *http.Request) (reply, error) {
	return byReceipt(s, r, (*prompt.Assembler).Receipt)
}

func (s *Server) getPrompt(_ http.ResponseWriter, r *http.Request) (reply, error) {
	return byReceipt(s, r, (*prompt.Assembler).Prompt)
}

// byReceipt replies with what get makes of the id of a receipt in the request's path.
func byReceipt[T any](
	s *Server, r *http.Request, get func(a *prompt.Assembler, ctx context.Context, id string) (T, error),
) (reply, error) {
	id, err := pathText(r, "id")
	if err != nil {
		return reply{}, err
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	return result(get(a, r.Context(), id))
}

func (s *Server) diffReceipts(_ http.ResponseWriter, r *http.Request) (reply, error) {
	to, err := pathText(r, "other")
	if err != nil {
		return reply{}, err
	}
	return byReceipt(s, r, func(a *prompt.Assembler, ctx context.Context, from string) (*receipt.Changes, error) {
		return a.Diff(ctx, from, to)
	})
}

func (s *Server) recall(w http.ResponseWriter, r *http.Request) (reply, error) {
	var q prompt.RecallRequest
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if q.Project != "" {
		if _, err := whereOf(q.Project, ""); err != nil {
			return reply{}, err
		}
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	return result(a.Recall(r.Context(), q))
}

func (s *Server) compacted(_ http.ResponseWriter, r *http.Request) (reply, error) {
	by, err := agentOf(r, "")
	if err != nil {
		return reply{}, err
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	return reply{}, a.Compacted(r.Context(), by.Agent)
}
