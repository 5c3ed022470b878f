package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/contextd/contextd/internal/embed"
)

// kind is what contextd_embed_errors_total tells failures apart by.
type kind string

const (
	unreachable kind = "unreachable"  // no connection, or it broke
	timeout     kind = "timeout"      // no answer in time
	rateLimited kind = "rate_limited" // 429
	serverError kind = "server_error" // 5xx
	badAnswer   kind = "bad_answer"   // no JSON, too much of it, too few vectors, wrong order
	badVector   kind = "bad_vector"   // zero, infinite or no numbers
	refused     kind = "refused"      // key, model or address are wrong
	rejected    kind = "rejected"     // this input is not taken
	dimensions  kind = "dimensions"   // another length than before
	breakerOpen kind = "breaker_open" // not asked
)

// fault is why a request brought no vectors. It holds nothing that the server wrote but its error code.
type fault struct {
	kind   kind
	status int           // of HTTP; 0 without an answer
	detail string        // completes "embed with … at …: "
	after  time.Duration // when the server wants to be asked again; 0: not said
	where  string        // model and host, for people
}

func (f *fault) Error() string { return fmt.Sprintf("embed with %s: %s", f.where, f.detail) }

// RetryAfter is when the server wants to be asked again; 0 if it did not say.
func (f *fault) RetryAfter() time.Duration { return f.after }

// Is tells which sentinel of package embed a fault is.
func (f *fault) Is(target error) bool {
	switch f.kind {
	case refused, rejected:
		return target == embed.ErrRefused
	case dimensions:
		return target == embed.ErrDimensions
	}
	return target == embed.ErrUnavailable
}

// Hint says what to do about it.
func (f *fault) Hint() string {
	switch {
	case f.kind == unreachable:
		return "is the server of --embedder-url running? --embedder static needs none"
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden:
		return "set OPENAI_API_KEY to a key that the server knows"
	case f.kind == refused:
		return "check --embedder-model, and that --embedder-url is the base of the API (most end in /v1)"
	case f.kind == dimensions:
		return "another model answers under this name; the next run rebuilds the index"
	}
	return ""
}

// again reports whether the same request may succeed at once or soon.
func (f *fault) again() bool {
	switch f.kind {
	case unreachable, rateLimited, serverError, badAnswer:
		return true
	}
	return false
}

// busy reports whether the server works and has said when to ask again.
func (f *fault) busy() bool {
	return f.after > 0 && (f.kind == rateLimited || f.status == http.StatusServiceUnavailable)
}

// outage reports whether the fault counts for the breaker.
func (f *fault) outage() bool { return f.again() || f.kind == timeout || f.kind == badVector }

// ofInput reports whether the input may be to blame. Some servers answer 500 to a text that is too long.
func (f *fault) ofInput() bool {
	return f.kind == rejected || f.kind == serverError && f.status == http.StatusInternalServerError
}

// classify makes a fault of what became of an exchange; nil if the answer can be looked at. An error of the caller's
// own is returned as it is.
func (e *Embedder) classify(ctx context.Context, x *exchange, err error) error {
	if err == nil && x.fault == nil && x.status < 300 {
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	f := &fault{where: e.where, status: x.status, after: x.after}
	switch {
	case x.fault != nil:
		f.kind, f.detail = x.fault.kind, x.fault.detail
	case x.status == 0:
		f.kind, f.detail = unreachable, "the request could not be made"
	case x.status < 300:
		f.kind, f.detail = badAnswer, "the answer is not a list of embeddings"
	default:
		f.kind, f.detail = kindOf(x.status),
			"the server answered "+strings.TrimSpace(fmt.Sprint(x.status, " ", http.StatusText(x.status)))
		if code := codeOf(err); code != "" {
			f.detail += " (" + code + ")"
		}
		if x.status < 400 {
			f.detail += ": redirects are not followed"
		}
	}
	if f.after > 0 && f.outage() {
		f.detail += fmt.Sprintf(", to be asked again in %v", f.after.Round(time.Millisecond))
	}
	return f
}

func kindOf(status int) kind {
	switch {
	case status == http.StatusTooManyRequests:
		return rateLimited
	case status == http.StatusRequestTimeout:
		return timeout
	case status == http.StatusNotImplemented:
		return refused
	case status >= 500:
		return serverError
	case status < 400:
		return refused
	}
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusGone:
		return refused
	}
	return rejected
}

// goodCode is what an error code looks like: a word, not a sentence that could repeat a text or a key.
func goodCode(code string) bool {
	for _, c := range []byte(code) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_') {
			return false
		}
	}
	return code != "" && len(code) <= 40
}

func codeOf(err error) string {
	var api *openai.APIError
	if !errors.As(err, &api) {
		return ""
	}
	if code, ok := api.Code.(string); ok && goodCode(code) {
		return code
	}
	if goodCode(api.Type) {
		return api.Type
	}
	return ""
}
