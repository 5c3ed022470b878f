package prompt

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/learn"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/roots"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/usage"
)

// Assembler makes contexts. Its fields are set once, before its first use; a part that is nil counts as one that does
// not answer. Safe for concurrent use.
type Assembler struct {
	Find  Finder
	Code  Code
	Roots *roots.Reader // nil: no text of code can be shown again

	Memory     *memory.Memory
	History    *history.History
	Usage      *usage.Tracker
	Store      store.Store       // of receipts and windows
	Policy     history.Policy    // which tasks are given context where they do not say so; without a rule all are
	Learn      history.Policy    // by project and profile: whose numbers outcomes move; without a rule the profile says
	Learned    *learn.Ledger     // nil: nothing is learnt
	Breakers   *breaker.Breakers // turn retrieval off where it is slow; nil: nothing does
	Profiles   *profile.Set      // nil: the built-in ones
	Strategies compile.Registry  // nil: the built-in ones
	Embedder   embed.Embedder    // compares with the conversation; nil: by words
	Clock      func() time.Time  // nil: the clock
	Log        *slog.Logger      // nil: none

	windows windows
	vectors vectors
}

// Build makes the context of a request. An error is one of the request: see [RequestError], compile.UnknownAgentError,
// profile.UnknownError and tokens.TooSmallError; whatever else fails makes the reply a degraded one.
func (a *Assembler) Build(ctx context.Context, req Request) (reply *Reply, err error) {
	began := time.Now()
	ctx, end := obs.Stage(ctx, "context")
	defer func() {
		if reply == nil {
			end(err)
			return
		}
		end(nil, obs.Word("id", reply.ID), obs.Word("status", reply.Status), obs.Count("reasons", len(reply.Reasons)),
			obs.Count("tokens", reply.Tokens), obs.Count("items_selected", reply.ItemsSelected),
			obs.Count("items_available", reply.ItemsAvailable))
	}()
	j, err := a.read(req)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, j.deadline) // what finding may take
	defer cancel()
	if err := a.resolve(within, j); err != nil {
		return nil, err
	}
	a.learn(within, j)
	a.gather(within, j)
	items := j.items()
	choosing, chosen := obs.Stage(within, "choose")
	j.choose(items, a.embedder(choosing))
	chosen(nil, obs.Count("items", len(items)))
	_, compiled := obs.Stage(ctx, "compile")
	err = j.compile()
	if compiled(err); err != nil {
		return nil, err
	}
	if j.choice.crowdedOut() {
		j.degrade(OverBudget)
	}
	r := j.receipt(a.now())
	reply = j.reply(r)
	keeping, kept := obs.Stage(ctx, "keep")
	a.keep(keeping, j, r, reply)
	kept(nil)
	reply.TookMS = float64(time.Since(began).Microseconds()) / 1000
	a.logAssembled(j, r, reply)
	return reply, nil
}

// logAssembled logs that a context was made, and keeps it with the reply for whoever passes it on.
func (a *Assembler) logAssembled(j *job, r *receipt.Receipt, reply *Reply) {
	e := Event{Project: r.Project, Agent: r.Agent, TaskID: reply.TaskID, AgentKind: reply.AgentKind,
		ProfileID: reply.ProfileID, Fingerprint: r.Fingerprint, ItemsSelected: reply.ItemsSelected,
		ItemsAvailable: reply.ItemsAvailable, BudgetTokens: r.BudgetTokens}
	observe(reply, e)
	names := make([]string, len(reply.Sections))
	for i, s := range reply.Sections {
		names[i] = s.Name
	}
	a.log().Info("context_assembled", "id", reply.ID, "project", r.Project, "agent", r.Agent, "task_id", e.TaskID,
		"agent_kind", e.AgentKind, "profile_id", e.ProfileID,
		"fingerprint", e.Fingerprint, "items_selected", e.ItemsSelected, "items_available", e.ItemsAvailable,
		"budget_tokens", e.BudgetTokens,
		"tokens", reply.Tokens, "sections", strings.Join(names, ", "),
		"system_prompt_length", len(j.context.SystemPrompt), "status", reply.Status,
		"reasons", strings.Join(reply.Reasons, ","), "took_ms", reply.TookMS)
	reply.Event = e
}

func (a *Assembler) now() time.Time {
	if a.Clock != nil {
		return a.Clock()
	}
	return time.Now()
}

func (a *Assembler) log() *slog.Logger {
	if a.Log != nil {
		return a.Log
	}
	return slog.New(slog.DiscardHandler)
}

func (a *Assembler) profiles() *profile.Set {
	if a.Profiles != nil {
		return a.Profiles
	}
	return profile.Builtin()
}

func (a *Assembler) strategies() compile.Registry {
	if a.Strategies != nil {
		return a.Strategies
	}
	return builtinStrategies
}

var builtinStrategies = compile.NewRegistry()
