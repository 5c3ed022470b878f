package prompt

import (
	"crypto/rand"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/secret"
)

// maxRejects bounds how many candidates that a gate kept away a receipt names.
const maxRejects = 30

// maxDropped bounds how many dropped pieces a receipt names, the best of them.
const maxDropped = 50

// round keeps what can be told apart.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// receipt accounts for the context.
func (j *job) receipt(now time.Time) *receipt.Receipt {
	p := &j.policy
	r := &receipt.Receipt{At: now.UTC(), Project: j.target.Project, Agent: j.agent, AgentKind: j.kind,
		Profile: p.Profile, Mode: string(p.Mode), Frame: string(j.plan.Frame), TaskID: j.task.ID, Query: j.query,
		Reasons: append([]string{}, j.reasons...), Weights: receipt.Weights(p.Weights), Encoding: j.counter.Encoding(),
		BudgetTokens: p.Budget, Tokens: j.tokens, InjectAt: p.InjectAt, MinRelevance: p.MinRelevance,
		Items: []receipt.Line{}, Sections: []receipt.Section{}, PrefixHash: j.context.PrefixHash(), Prompt: j.prompt(),
		Learned: j.learned}
	for _, s := range []*string{&r.Query, &r.TaskID} { // they stand in logs and events, too
		*s, _ = secret.Redact(*s)
	}
	r.ID = newID(now, r.Project)
	if j.found.code != nil {
		r.Generation, r.Reranked = j.found.code.Generation, j.found.code.Reranked
	}
	dropped := 0
	shown := map[string]bool{}
	for _, l := range j.choice.sorted() {
		if l.path != "" {
			shown[l.path] = true
		}
		if l.verdict == receipt.Dropped {
			if dropped++; dropped > maxDropped {
				r.Omitted++
				continue
			}
		}
		r.Items = append(r.Items, l.receiptLine())
	}
	if c := j.found.code; c != nil && c.Rejected != nil {
		for _, x := range (*c.Rejected)[:min(len(*c.Rejected), maxRejects)] {
			if shown[x.Path] { // another piece of it is accounted for
				continue
			}
			shown[x.Path] = true
			r.Items = append(r.Items, receipt.Line{ID: "code:" + x.Path, Source: "file:" + x.Path, Kind: kindOf(x.Path),
				Scope: profile.Project, Relevance: round(x.Relevance), Boost: 1, Decision: receipt.Dropped,
				Reason: x.Reason})
		}
	}
	before, after := 0, 0
	for _, l := range j.choice.kept() {
		if l.verdict == receipt.Compressed {
			before += j.counter.Count(l.item.Text)
			after += j.counter.Count(l.short)
		}
	}
	for _, s := range j.context.Sections {
		r.Sections = append(r.Sections, receipt.Section{Name: s.Name, Source: s.Source,
			Tokens: j.counter.Count(s.Text()), Hash: receipt.ShortHash(s.Content)})
	}
	tags := slices.Clone(p.Tags)
	for i := range tags {
		tags[i], _ = secret.Redact(tags[i])
	}
	r.Fingerprint = receipt.NewFingerprint(receipt.Facts{Mode: r.Mode, Profile: r.Profile, TaskID: r.TaskID,
		Files: p.Files(), Tags: tags, Tokens: r.Tokens, Lines: r.Items, Before: before, After: after})
	r.Status = string(j.status())
	return r
}

// prompt is what the prompt is known by.
func (j *job) prompt() *receipt.Prompt {
	p := &receipt.Prompt{Hash: compile.Hash(j.sent), SystemHash: receipt.ShortHash(j.context.SystemPrompt),
		Aggressiveness: j.policy.Aggressiveness}
	if j.context.Question != "" {
		p.QuestionHash = receipt.ShortHash(j.context.Question)
	}
	return p
}

// receiptLine is the line of a receipt.
func (l *line) receiptLine() receipt.Line {
	r := receipt.Line{ID: l.item.ID, Source: l.item.Source, Kind: l.item.Kind, Scope: l.item.Scope, Section: l.section,
		Hash: receipt.ShortHash(l.item.Text), Relevance: round(l.item.Relevance), Importance: round(l.item.Importance),
		Boost: round(l.boost), Score: round(l.score), Decision: l.verdict, Reason: l.reason, Tokens: l.cost,
		Verify: l.item.Verify}
	if l.verdict == receipt.Dropped {
		return r
	}
	for _, f := range l.forms {
		if f.verdict == l.verdict {
			r.FormHash = receipt.ShortHash(f.piece.Rendered())
		}
	}
	if l.block {
		r.StartLine, r.EndLine, r.Language = l.item.shown.Start, l.item.shown.End, l.language
	}
	return r
}

// status sums up how well the question was answered.
func (j *job) status() Status {
	waits := false
	for _, r := range j.reasons { // what may stand beside ok, see package retrieve
		switch r {
		case "state_rebuilt":
		case "changes_waiting", "vectors_building":
			waits = true
		default:
			return Degraded
		}
	}
	for _, s := range j.context.Sections {
		if !s.Stable {
			return OK
		}
	}
	if waits {
		return Degraded
	}
	return Empty
}

// reply is what the caller gets.
func (j *job) reply(r *receipt.Receipt) *Reply {
	reply := &Reply{ID: r.ID, Status: Status(r.Status), Reasons: append([]string{}, j.reasons...), Messages: j.sent,
		Sections: []Section{}, Tokens: j.tokens, BudgetTokens: r.BudgetTokens, PrefixHash: r.PrefixHash,
		Fingerprint: r.Fingerprint, FlashSave: memory.ShouldFlash(j.req.InputTokensUsed, j.req.InputTokensLimit) ||
			j.req.InputTokensFlashAt > 0 && j.req.InputTokensUsed >= j.req.InputTokensFlashAt}
	for i, s := range j.context.Sections {
		reply.Sections = append(reply.Sections,
			Section{Name: s.Name, Source: s.Source, Content: s.Content, Tokens: r.Sections[i].Tokens})
	}
	reply.TaskID, reply.AgentKind, reply.ProfileID, reply.ItemsAvailable = r.TaskID, r.AgentKind, r.Profile,
		len(r.Items)
	for _, x := range r.Items {
		if x.Decision != receipt.Dropped {
			reply.ItemsSelected++
		}
	}
	if c := j.found.code; c != nil {
		reply.Searched, reply.BestRelevance = c.Searched, c.BestRelevance
	}
	reply.Retrieval, reply.Pieces = j.retrieval(), j.pieces()
	return reply
}

// retrieval is what the index said; nil where it was not asked.
func (j *job) retrieval() *Retrieval {
	switch c := j.found.code; {
	case !j.asksCode:
		return nil
	case c == nil: // it failed, or was left behind at the deadline
		r := &Retrieval{Status: string(Degraded)}
		for _, reason := range []retrieve.Reason{retrieve.IndexMissing, retrieve.Deadline} {
			if slices.Contains(j.reasons, string(reason)) {
				r.Reasons = append(r.Reasons, string(reason))
			}
		}
		return r
	default:
		r := &Retrieval{Status: string(c.Status), Hit: c.Holds()}
		for _, reason := range c.Reasons {
			r.Reasons = append(r.Reasons, string(reason))
		}
		return r
	}
}

// newID makes the id of a receipt: the time, then by which project it is kept, then chance.
func newID(now time.Time, project string) string {
	var b [14]byte
	ms := uint64(max(now.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	_, _ = rand.Read(b[10:]) // never fails
	id := hex.EncodeToString(b[:])
	return "ctx_" + id[:12] + shelfOf(project) + id[20:]
}

// shelfOf is by what a project's receipts are found again from an id.
func shelfOf(project string) string { return receipt.ShortHash(project)[:8] }

// projectPart is the part of an id that names its project; false if it is none of newID.
func projectPart(id string) (string, bool) {
	hexed, ok := strings.CutPrefix(id, "ctx_")
	if !ok || len(hexed) != 28 {
		return "", false
	}
	if _, err := hex.DecodeString(hexed); err != nil {
		return "", false
	}
	return hexed[12:20], true
}
