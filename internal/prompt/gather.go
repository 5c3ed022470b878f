package prompt

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/usage"
	"github.com/contextd/contextd/internal/waits"
)

// found is what the sources brought in time.
type found struct {
	code      *retrieve.Reply // with what the files that the task names hold
	hot       []memory.Item
	hits      []memory.Hit
	history   history.State
	boosts    usage.Boosts
	compacted map[string]bool // hashes of messages that were compacted away
}

// indexCost is what asking the index cost.
type indexCost struct {
	began time.Time
	waits *waits.Counter // for an index that was being made: no cost
	took  time.Duration  // once it has answered
}

// resolve finds the project.
func (a *Assembler) resolve(ctx context.Context, j *job) error {
	if a.Find == nil {
		j.target = access.Target{Project: j.where.Project, Root: j.where.Root, Foreign: true}
		return nil
	}
	ctx, end := obs.Stage(ctx, "resolve")
	var err error
	j.target, j.fault, err = a.Find.Resolve(ctx, j.where, j.deadline)
	end(err)
	if err != nil {
		return &RequestError{Field: "project", Want: err.Error(), Err: err}
	}
	return nil
}

// source is what one part of a context comes from: work asks it and returns what puts the answer into found, which is
// only called if it came in time.
type source struct {
	reason string // of a reply without it
	work   func(ctx context.Context) (take func(), err error)
	partly bool // what came is of use though it failed
}

// stage is the source's name in traces: code, memory, history, usage.
func (s *source) stage() string {
	if s.reason == string(retrieve.IndexMissing) {
		return "code"
	}
	return strings.TrimSuffix(s.reason, "_unavailable")
}

// gather asks all sources at once. What has not come when the time is up, or failed, is noted as a reason.
func (a *Assembler) gather(ctx context.Context, j *job) {
	type answer struct {
		source int
		take   func()
		err    error
	}
	ctx, j.cost.waits = waits.Count(ctx)
	sources := a.sources(ctx, j)
	answers := make(chan answer, len(sources)) // whoever comes late finds room, and nobody
	for i, s := range sources {
		go func() {
			ctx, end := obs.Stage(ctx, s.stage())
			take, err := s.work(ctx)
			end(err)
			answers <- answer{i, take, err}
		}()
	}
	defer func() { a.noteCost(ctx, j) }()
	done := make([]bool, len(sources))
	take := func(x answer) {
		if done[x.source] = x.err == nil; done[x.source] || sources[x.source].partly && x.take != nil {
			x.take()
		}
		if x.err != nil {
			a.log().Warn("source did not answer", "reason", sources[x.source].reason, "error", x.err)
		}
	}
	for came, late := 0, false; came < len(sources) && !late; {
		select {
		case x := <-answers:
			take(x)
			came++
		case <-ctx.Done():
			late = len(answers) == 0 // what lies there was in time
		}
	}
	for i, s := range sources {
		switch {
		case done[i]:
		case ctx.Err() == nil:
			j.degrade(s.reason)
		default:
			if s.reason != string(retrieve.IndexMissing) { // it may well be there
				j.degrade(s.reason)
			}
			j.degrade(string(retrieve.Deadline))
		}
	}
	if c := j.found.code; c != nil {
		for _, r := range c.Reasons {
			j.degrade(string(r))
		}
	} else if j.asksCode && j.req.MinGeneration > 0 {
		j.degrade(string(retrieve.GenerationBehind))
	}
}

// sources are those that the strategy, the profile and the plan leave to be asked.
func (a *Assembler) sources(ctx context.Context, j *job) (sources []source) {
	takes, f, project := j.strategy.Takes(), &j.found, j.target.Project
	add := func(reason string, have bool, work func(context.Context) (func(), error)) {
		if have {
			sources = append(sources, source{reason: reason, work: work})
		} else {
			j.degrade(reason)
		}
	}
	if !a.requiresContext(j) {
		takes = 0
	}
	if takes.Has(compile.TakesCode) && !j.policy.Nothing && (j.policy.Admits(kindCode) || j.policy.Admits(kindTest)) &&
		!a.retrievalOff(ctx, j) {
		j.asksCode = true
		j.cost.began = time.Now()
		add(string(retrieve.IndexMissing), a.Code != nil, func(ctx context.Context) (func(), error) {
			q := j.question()
			if end, ok := ctx.Deadline(); ok { // a little of the time is left for what follows
				q.Deadline = max(time.Until(end)*9/10, time.Millisecond)
			}
			r, err := a.Code.Answer(ctx, q, j.fault)
			took := time.Since(j.cost.began)
			return func() { f.code, j.cost.took = r, took }, err
		})
	}
	if takes.Has(compile.TakesMemory) && !j.policy.Nothing {
		add(MemoryUnavailable, a.Memory != nil, func(ctx context.Context) (func(), error) {
			who := memory.Who{Agent: j.agent, Project: project}
			hot, failed := a.Memory.Load(ctx, who)
			hits, err := a.Memory.Search(ctx, who, j.memoryQuery(),
				memory.Filter{Tiers: []memory.Tier{memory.Hot, memory.Warm}, Limit: maxHits})
			return func() { f.hot, f.hits = hot, hits }, cmp.Or(failed, err)
		})
		if a.Memory != nil { // an agent's own items may lie on another server than the project's
			sources[len(sources)-1].partly = true
		}
		if len(j.req.Conversation) > 0 && a.Store != nil {
			add(MemoryUnavailable, true, func(ctx context.Context) (func(), error) {
				gone, err := a.compactedMessages(ctx, j.agent)
				if err == nil {
					err = a.keepWindow(ctx, j.agent, j.req.Conversation)
				}
				return func() { f.compacted = gone }, err
			})
		}
	}
	if takes&(compile.TakesHistory|compile.TakesBlockers) != 0 && !j.policy.Nothing {
		add(HistoryUnavailable, a.History != nil, func(ctx context.Context) (func(), error) {
			s, err := a.History.Load(ctx, project)
			return func() { f.history = s.OfType(j.task.Type) }, err
		})
	}
	if !j.policy.Nothing && takes != 0 {
		add(UsageUnavailable, a.Usage != nil, func(ctx context.Context) (func(), error) {
			b, err := a.Usage.Boosts(ctx, project)
			return func() { f.boosts = b }, err
		})
	}
	return sources
}

// requiresContext reports whether the task is given context at all: as it says itself, else as the policy says, else it
// is.
func (a *Assembler) requiresContext(j *job) bool {
	if said := j.task.RequiresContext; said != nil {
		return *said
	}
	on, said := a.Policy.For(j.target.Project, j.task.Type)
	return on || !said
}

// maxHits bounds what memory is asked for; a plan's limits by type are far lower.
const maxHits = 40

// memoryQuery is what memory is searched for: the plan's words, which are the same for all types.
func (j *job) memoryQuery() string {
	for _, q := range j.plan.Queries {
		if strings.TrimSpace(q.Text) != "" {
			return q.Text
		}
	}
	return j.query
}
