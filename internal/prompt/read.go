package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/tokens"
)

// Limits of a request.
const (
	MaxMessages    = 2000      // of the conversation
	MaxBudget      = 4 << 20   // tokens
	MaxDeadline    = 60 * 1000 // ms
	maxAgent       = 200       // bytes of an agent's name
	maxQuery       = 8 << 10   // bytes of what is searched for; of a longer text the start counts
	greetingBudget = 3000      // tokens that hold where nothing is asked
)

// RequestError says which value of a request cannot be, and what could.
type RequestError struct {
	Field string // as in JSON: "task.mode"
	Want  string // what is wrong or wanted
	Err   error  // the cause, or nil
}

func (e *RequestError) Error() string {
	if strings.HasPrefix(e.Want, e.Field+" ") { // it names it already
		return e.Want
	}
	return e.Field + ": " + e.Want
}

// Unwrap is the cause.
func (e *RequestError) Unwrap() error { return e.Err }

func invalid(field, format string, args ...any) error {
	return &RequestError{Field: field, Want: fmt.Sprintf(format, args...)}
}

// read checks a request and plans what to do.
func (a *Assembler) read(req Request) (*job, error) {
	j := &job{req: req, task: req.Task, kind: strings.ToLower(cmp.Or(req.AgentKind, compile.DefaultKind))}
	if j.task == nil {
		j.task = &Task{}
	}
	j.agent = cmp.Or(req.Agent, j.kind)
	j.where = access.Where{Project: req.Project, Root: req.Root, Dir: req.Dir, Home: req.Home}
	if err := j.check(); err != nil {
		return nil, err
	}
	p, err := a.agent(j)
	if err != nil {
		return nil, err
	}
	if j.counter, err = tokens.For(req.Encoding); err != nil {
		return nil, &RequestError{Field: "encoding", Want: err.Error(), Err: err}
	}
	if req.Estimate {
		j.counter = tokens.Estimate()
	}
	text := j.requestText()
	j.signals = intent.Classify(text)
	frame := intent.Frame("")
	if req.Frame != "" {
		if frame, err = intent.ParseFrame(req.Frame); err != nil {
			return nil, &RequestError{Field: "frame", Want: err.Error(), Err: err}
		}
	}
	if frame == "" && req.Task != nil && j.signals.Frame == intent.Conversation && !j.signals.Greeting {
		frame = intent.Task // a task is work, however casually it is put
	}
	if j.plan, err = intent.PlanFor(j.signals, frame); err != nil {
		return nil, &RequestError{Field: "frame", Want: err.Error(), Err: err}
	}
	if err := j.applyProfile(p); err != nil {
		return nil, err
	}
	j.query = safetext.Cut(cmp.Or(req.Query, text), maxQuery)
	j.deadline = time.Duration(cmp.Or(req.DeadlineMS, 200)) * time.Millisecond
	return j, nil
}

// applyProfile sets the policy that a profile gives the task.
func (j *job) applyProfile(p profile.Profile) (err error) {
	j.profile = p
	if j.policy, err = profile.Policy(j.policyJob(j.requestText()), p, j.plan, j.req.BudgetTokens); err != nil {
		return &RequestError{Field: "task.mode", Want: err.Error(), Err: err}
	}
	j.policy.Budget = cmp.Or(j.policy.Budget, greetingBudget)
	if j.req.InjectAt != nil {
		j.policy.InjectAt = *j.req.InjectAt
	}
	if j.req.MinRelevance != nil {
		j.policy.MinRelevance = *j.req.MinRelevance
	}
	return nil
}

// check finds what is wrong with the values of a request.
func (j *job) check() error {
	r := &j.req
	for _, f := range []struct{ field, value string }{
		{"agent", j.agent}, {"query", r.Query}, {"task.id", j.task.ID}, {"task.title", j.task.Title},
		{"task.description", j.task.Description},
	} {
		if !utf8.ValidString(f.value) {
			return invalid(f.field, "want UTF-8")
		}
	}
	if rule, found := secret.Find(j.agent[:min(len(j.agent), maxAgent)]); found { // what is remembered is found by it
		return invalid("agent", "want a name that holds no secret (%s)", rule)
	}
	switch {
	case r.Project == "" && r.Root == "" && r.Dir == "":
		return invalid("project", "want a project or a root")
	case len(j.agent) > maxAgent:
		return invalid("agent", "%d bytes, want at most %d", len(j.agent), maxAgent)
	case r.BudgetTokens < 0 || r.BudgetTokens > MaxBudget:
		return invalid("budget_tokens", "want a whole number from 1 to %d (got %d)", MaxBudget, r.BudgetTokens)
	case r.DeadlineMS < 0 || r.DeadlineMS > MaxDeadline:
		return invalid("deadline_ms", "want a whole number from 1 to %d (got %d)", MaxDeadline, r.DeadlineMS)
	case r.Stale != "" && r.Stale != string(gates.Verify) && r.Stale != string(gates.Skip):
		return invalid("stale", "want verify or skip (got %q)", r.Stale)
	case r.InjectAt != nil && !(*r.InjectAt >= 0 && *r.InjectAt <= 1):
		return invalid("inject_at", "want a number from 0 to 1 (got %v)", *r.InjectAt)
	case r.MinRelevance != nil && !(*r.MinRelevance >= 0 && *r.MinRelevance <= 1):
		return invalid("min_relevance", "want a number from 0 to 1 (got %v)", *r.MinRelevance)
	case !(r.DedupFade >= 0 && r.DedupFade <= 1):
		return invalid("dedup_fade", "want a number above 0, at most 1 (got %v)", r.DedupFade)
	case len(r.Conversation) > MaxMessages:
		return invalid("conversation", "%d messages, want at most %d", len(r.Conversation), MaxMessages)
	case r.MinGeneration < 0:
		return invalid("min_generation", "want a whole number from 0 (got %d)", r.MinGeneration)
	case r.InputTokensUsed < 0 || r.InputTokensLimit < 0 || r.InputTokensFlashAt < 0:
		return invalid("input_tokens_used", "want a whole number from 0")
	}
	if _, err := profile.ParseMode(j.task.Mode); err != nil {
		return &RequestError{Field: "task.mode", Want: err.Error(), Err: err}
	}
	if strings.TrimSpace(j.requestText()) == "" {
		if r.Task != nil {
			return invalid("task", "it says nothing: want a title, a description or an issue")
		}
		return invalid("task", "want a task, a query or a conversation")
	}
	return nil
}

// agent finds the strategy and the profile of the agent's kind. A kind that only profiles know, or that comes with a
// profile of the request's own, is compiled as that profile says.
func (a *Assembler) agent(j *job) (p profile.Profile, err error) {
	var unknown *profile.UnknownError
	own, err := a.profiles().ForAgent(j.kind)
	if err != nil && !errors.As(err, &unknown) {
		return p, err
	}
	hasProfile := err == nil
	switch choice := j.req.Profile; {
	case len(choice.Own) > 0:
		if p, err = a.profiles().Override(choice.Own); err != nil {
			return p, &RequestError{Field: "profile", Want: err.Error(), Err: err}
		}
		if !hasProfile {
			own, hasProfile = p, true
		}
	case choice.Name != "":
		p, err = a.profiles().Get(choice.Name)
	case hasProfile:
		p = own
	default: // a strategy without a profile of its own
		p, err = a.profiles().Get(compile.DefaultKind)
	}
	s, known := a.strategies()[j.kind]
	if !known {
		if s, known = a.strategies()[own.Strategy]; !hasProfile || !known {
			kinds := slices.Concat(a.strategies().Kinds(), a.profiles().Agents())
			slices.Sort(kinds)
			return p, &compile.UnknownAgentError{Kind: j.kind, Known: slices.Compact(kinds)}
		}
	}
	if j.strategy = s; p.SystemPrompt != "" || len(p.Sections) > 0 {
		j.strategy = compile.Layout{Base: s, Prompt: p.SystemPrompt, Sections: p.Sections}
	}
	return p, err
}
