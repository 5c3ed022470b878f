package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/tokens"
)

// kindOf is the kind of problem that an error of any package is.
func kindOf(err error) slug {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.slug
	case errors.Is(err, sandbox.ErrNotAllowed):
		return rootNotAllowed
	case errors.As(err, new(*tokens.TooSmallError)):
		return budgetTooSmall
	case errors.As(err, new(*memory.Invalid)), errors.As(err, new(*prompt.RequestError)),
		errors.As(err, new(*compile.UnknownAgentError)), errors.As(err, new(*profile.UnknownError)):
		return invalidRequest
	case errors.Is(err, memory.ErrLoop):
		return injectedText
	case errors.Is(err, memory.ErrForeign):
		return foreignCheck
	case errors.Is(err, memory.ErrNewer):
		return unprocessable
	case errors.Is(err, search.ErrNoProject), errors.Is(err, store.ErrNotFound), errors.Is(err, memory.ErrNotFound):
		return notFound
	case errors.Is(err, store.ErrConflict), errors.Is(err, history.ErrDuplicate):
		return conflict
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut
	case errors.Is(err, context.Canceled):
		return unavailable // the client has gone, or the server is about to
	}
	switch rdb.Classify(err) {
	case rdb.Unreachable, rdb.Deadline, rdb.Auth, rdb.Loading, rdb.ReadOnly, rdb.OOM, rdb.Cluster:
		return unavailable
	}
	return internal
}

// problemOf is the problem that an error is sent as.
func problemOf(err error, requestID string) client.Problem {
	s := kindOf(err)
	k := kinds[s]
	p := client.Problem{Type: typePrefix + string(s), Title: k.title, Status: k.status,
		Detail: safetext.Line(err.Error()), RequestID: requestID}
	blame(&p, err)
	var h interface{ Hint() string }
	switch {
	case p.Hint != "":
	case errors.As(err, &h):
		p.Hint = h.Hint()
	case s == rootNotAllowed:
		p.Hint = "start the server with --allow-root DIR"
	}
	return p
}

// blame names the field that is to blame for an error, and what it may be.
func blame(p *client.Problem, err error) {
	var (
		f       *fault
		item    *memory.Invalid
		request *prompt.RequestError
		kind    *compile.UnknownAgentError
		prof    *profile.UnknownError
	)
	if errors.As(err, &f) {
		p.Field, p.Hint, p.Known = f.field, f.hint, f.known
	}
	if errors.As(err, &item) {
		p.Field = item.Field
	}
	if errors.As(err, &kind) {
		p.Field, p.Known = "agent_kind", kind.Known
	}
	if errors.As(err, &prof) {
		p.Field, p.Known = "profile", prof.Known
	}
	if errors.As(err, &request) {
		p.Field = request.Field
	}
	switch p.Field {
	case "kind", "item_type", "memory_type":
		for _, k := range memory.Kinds() {
			p.Known = append(p.Known, string(k))
		}
	case "encoding":
		p.Known = tokens.Encodings()
	}
	if errors.As(err, new(*tokens.TooSmallError)) {
		p.Field = "budget_tokens"
	}
}

// sendProblem writes an error.
func sendProblem(w http.ResponseWriter, err error, requestID string) client.Problem {
	p := problemOf(err, requestID)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="contextd"`)
	}
	if p.Type == typePrefix+string(busy) {
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Connection", "close") // else the answer waits for the rest of a body that may never come
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
	return p
}
