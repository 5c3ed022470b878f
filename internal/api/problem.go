package api

import (
	"fmt"
	"net/http"
)

// typePrefix makes a slug the type of a problem, which is sent as RFC 9457 says, with members of ours.
const typePrefix = "urn:contextd:problem:"

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
	busy            slug = "too-many-bodies"
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
	busy:            {http.StatusServiceUnavailable, "Other requests take all memory for bodies"},
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

// asked marks the error of a call that checks what the client has given: what is not known to be something else is the
// client's.
func asked(err error) error {
	if err == nil || kindOf(err) != internal {
		return err
	}
	return &fault{slug: invalidRequest, err: err}
}
