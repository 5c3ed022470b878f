package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/contextd/contextd/internal/assemble"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/tokens"
)

// typePrefix makes a slug a problem's type.
const typePrefix = "urn:contextd:problem:"

// Problem is an error as it is sent: RFC 9457 with members of ours.
type Problem struct {
	Type      string   `json:"type"`  // "urn:contextd:problem:" and a slug of docs/API.md
	Title     string   `json:"title"` // the same for every problem of a type
	Status    int      `json:"status"`
	Detail    string   `json:"detail"`
	RequestID string   `json:"request_id"`
	Field     string   `json:"field,omitempty"` // of the request, where one is to blame
	Hint      string   `json:"hint,omitempty"`  // what to do about it
	Known     []string `json:"known,omitempty"` // what the field may be, where that is a list
}

// slug names a kind of problem.
type slug string

// The kinds of problems, in the order of docs/API.md.
const (
	invalidRequest  slug = "invalid-request"
	invalidJSON     slug = "invalid-json"
	invalidEncoding slug = "invalid-encoding"
	unknownField    slug = "unknown-field"
	unauthorized    slug = "unauthorized"
	foreignHost     slug = "foreign-host"
	foreignOrigin   slug = "foreign-origin"
	foreignCheck    slug = "foreign-checkpoint"
	rootNotAllowed  slug = "root-not-allowed"
	notFound        slug = "not-found"
	methodRefused   slug = "method-not-allowed"
	conflict        slug = "conflict"
	bodyTooLarge    slug = "body-too-large"
	mediaType       slug = "unsupported-media-type"
	budgetTooSmall  slug = "budget-too-small"
	injectedText    slug = "injected-text"
	unprocessable   slug = "unprocessable"
	upgradeRequired slug = "upgrade-required"
	internal        slug = "internal"
	tooMany         slug = "too-many-listeners"
	unavailable     slug = "backend-unavailable"
	timedOut        slug = "timeout"
)

// kinds says what each slug stands for.
var kinds = map[slug]struct {
	status int
	title  string
}{
	invalidRequest:  {http.StatusBadRequest, "A value of the request is missing, wrong or out of range"},
	invalidJSON:     {http.StatusBadRequest, "The body is no JSON object"},
	invalidEncoding: {http.StatusBadRequest, "The request is not UTF-8"},
	unknownField:    {http.StatusBadRequest, "The body has a field that does not exist"},
	unauthorized:    {http.StatusUnauthorized, "A bearer token is wanted"},
	foreignHost:     {http.StatusForbidden, "The Host header names another machine"},
	foreignOrigin:   {http.StatusForbidden, "The request comes from another site's page"},
	foreignCheck:    {http.StatusForbidden, "The checkpoint is another agent's"},
	rootNotAllowed:  {http.StatusForbidden, "The root is not under an allowed one"},
	notFound:        {http.StatusNotFound, "There is no such thing"},
	methodRefused:   {http.StatusMethodNotAllowed, "The method is not one of this path"},
	conflict:        {http.StatusConflict, "It is there already, or was changed meanwhile"},
	bodyTooLarge:    {http.StatusRequestEntityTooLarge, "The body is too large"},
	mediaType:       {http.StatusUnsupportedMediaType, "The body is not sent as JSON"},
	budgetTooSmall:  {http.StatusUnprocessableEntity, "The budget does not hold what must be in the context"},
	injectedText:    {http.StatusUnprocessableEntity, "The text repeats what contextd itself put into the prompt"},
	unprocessable:   {http.StatusUnprocessableEntity, "The request is well formed and cannot be done"},
	upgradeRequired: {http.StatusUpgradeRequired, "The path is for WebSocket connections"},
	internal:        {http.StatusInternalServerError, "The server has failed"},
	tooMany:         {http.StatusServiceUnavailable, "Too many listeners"},
	unavailable:     {http.StatusServiceUnavailable, "The store does not answer"},
	timedOut:        {http.StatusGatewayTimeout, "It took too long"},
}

// fault is an error that knows what kind of problem it is.
type fault struct {
	slug  slug
	field string
	hint  string
	known []string
	err   error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// refuse makes a fault of a kind.
func refuse(s slug, format string, args ...any) *fault {
	return &fault{slug: s, err: fmt.Errorf(format, args...)}
}

// wrong blames a field of the request.
func wrong(field, format string, args ...any) *fault {
	return &fault{slug: invalidRequest, field: field, err: fmt.Errorf("%s: "+format, append([]any{field}, args...)...)}
}

// asked marks the error of a call that checks what the client has given: what is not known to be something else is the client's.
func asked(err error) error {
	if err == nil || kindOf(err) != internal {
		return err
	}
	return &fault{slug: invalidRequest, err: err}
}

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
	case errors.As(err, new(*memory.Invalid)), errors.As(err, new(*assemble.RequestError)), errors.As(err, new(*compile.UnknownAgentError)),
		errors.As(err, new(*profile.UnknownError)):
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
	case rdb.Unreachable, rdb.Deadline, rdb.Auth, rdb.Loading, rdb.ReadOnly, rdb.OOM:
		return unavailable
	}
	return internal
}

// problemOf is the problem that an error is sent as.
func problemOf(err error, requestID string) Problem {
	s := kindOf(err)
	k := kinds[s]
	p := Problem{Type: typePrefix + string(s), Title: k.title, Status: k.status, Detail: obs.Clean(err.Error(), false), RequestID: requestID}
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
func blame(p *Problem, err error) {
	var (
		f       *fault
		item    *memory.Invalid
		request *assemble.RequestError
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
	case "kind", "memory_type":
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
func sendProblem(w http.ResponseWriter, err error, requestID string) Problem {
	p := problemOf(err, requestID)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="contextd"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
	return p
}
