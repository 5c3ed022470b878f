package api

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/tokens"
)

// maxDeadline is the longest deadline of a request.
const maxDeadline = 10 * time.Second

func (s *Server) search(w http.ResponseWriter, r *http.Request) (reply, error) {
	q := client.SearchRequest{K: 3, MaxChars: 200, MaxBytes: 2048, Stale: string(gates.Verify), DeadlineMS: 200}
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	req, err := requestOf(&q)
	if err != nil {
		return reply{}, err
	}
	where, err := whereOf(q.Project, q.Root)
	if err != nil {
		return reply{}, err
	}
	bring := freshness.Behind
	if q.NoIndex {
		bring = freshness.Never
	}
	answer, err := s.opts.App.Answers.Query(r.Context(), req, where, bring, nil)
	if err != nil {
		return reply{}, filtered(err)
	}
	if q.MaxTokens > 0 {
		counter, err := tokens.For("")
		if err != nil {
			return reply{}, err
		}
		answer.Fit(q.MaxTokens, counter.Count)
	}
	reasons := make([]string, len(answer.Reasons))
	for i, x := range answer.Reasons {
		reasons[i] = string(x)
	}
	retrieved(string(answer.Status), reasons, answer.Holds(), answer.TookMS)
	if q.Format != "text" {
		return ok(answer)
	}
	var text strings.Builder
	if err := render.Text(&text, answer.Answer()); err != nil {
		return reply{}, err
	}
	return ok(struct {
		*retrieve.Reply
		Text string `json:"text"`
	}{answer, text.String()})
}

// requestOf is the question with its limits, checked.
func requestOf(q *client.SearchRequest) (retrieve.Request, error) {
	for _, n := range []struct {
		field string
		value int
	}{{"k", q.K}, {"max_chars", q.MaxChars}, {"max_bytes", q.MaxBytes}} {
		if n.value < 1 {
			return retrieve.Request{}, wrong(n.field, "want a whole number from 1 (got %d)", n.value)
		}
	}
	threshold := .3
	if q.MinRelevance != nil {
		threshold = *q.MinRelevance
	}
	switch {
	case q.MaxTokens < 0:
		return retrieve.Request{}, wrong("max_tokens", "want a whole number from 0 (got %d)", q.MaxTokens)
	case q.MinGeneration < 0:
		return retrieve.Request{}, wrong("min_generation", "want a whole number from 0 (got %d)", q.MinGeneration)
	case strings.TrimSpace(q.Query) == "":
		return retrieve.Request{}, wrong("query", "want text that is not empty")
	case !(threshold >= 0 && threshold <= 1):
		return retrieve.Request{}, wrong("min_relevance", "want a number from 0 to 1 (got %v)", threshold)
	case q.Format != "" && q.Format != "json" && q.Format != "text":
		f := wrong("format", "want json or text (got %.40q)", q.Format)
		f.known = []string{"json", "text"}
		return retrieve.Request{}, f
	case q.Stale != string(gates.Verify) && q.Stale != string(gates.Skip):
		f := wrong("stale", "want verify or skip (got %q)", q.Stale)
		f.known = []string{string(gates.Verify), string(gates.Skip)}
		return retrieve.Request{}, f
	}
	deadline, err := deadlineOf(q.DeadlineMS)
	if err != nil {
		return retrieve.Request{}, err
	}
	req := retrieve.Request{Text: q.Query, Globs: q.Paths, Content: lang.Content(q.Content), Deadline: deadline,
		Explain: q.Explain, MinGeneration: q.MinGeneration, Gates: gates.Options{
			MinRelevance: gates.Threshold(threshold), MaxResults: q.K, MaxChars: q.MaxChars, MaxBytes: q.MaxBytes,
			Stale: gates.Mode(q.Stale)}}
	if q.MinRelevance == nil {
		req = req.WithGuesses()
	}
	if req.Langs, err = retrieve.Languages(q.Langs); err == nil {
		err = req.Validate()
	}
	return req, filtered(err)
}

// filtered is asked for an error that may be one of a filter, whose field it names.
func filtered(err error) error {
	var wrong *retrieve.FilterError
	if errors.As(err, &wrong) {
		return &fault{slug: invalidRequest, field: wrong.Field, known: wrong.Known, err: err}
	}
	return asked(err)
}

// deadlineOf is a deadline in milliseconds, checked.
func deadlineOf(ms float64) (time.Duration, error) {
	d := time.Duration(ms * float64(time.Millisecond))
	if !(ms > 0) || d <= 0 || d > maxDeadline {
		return 0, wrong("deadline_ms", "want a number above 0, at most %d (got %v)", maxDeadline.Milliseconds(), ms)
	}
	return d, nil
}

// whereOf is the project that a request means: by its id, its root or both. A client's working directory says nothing
// here.
func whereOf(project, root string) (access.Where, error) {
	switch {
	case project == "" && root == "":
		return access.Where{}, wrong("project", "want the id of a project, or a root")
	case root != "" && !filepath.IsAbs(root):
		return access.Where{}, wrong("root", "want an absolute path (got %q)", root)
	case project != "":
		if err := code.CheckProjectID(project); err != nil {
			return access.Where{}, &fault{slug: invalidRequest, field: "project", err: err}
		}
	}
	return access.Where{Project: project, Root: root}, nil
}
