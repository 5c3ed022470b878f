package prompt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/contextd/contextd/internal/learn"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

// learningOn reports whether outcomes move the numbers of a profile in a project: as the settings say, else as the
// profile does. A profile that the request brings holds as it is.
func (a *Assembler) learningOn(project string, p *profile.Profile) bool {
	on, said := a.Learn.For(project, p.ID)
	return on || !said && p.Learn
}

// learn moves the numbers of the profile by how tasks ended.
func (a *Assembler) learn(ctx context.Context, j *job) {
	if len(j.req.Profile.Own) > 0 || j.policy.Nothing || !a.learningOn(j.target.Project, &j.profile) {
		return
	}
	if a.Learned == nil || a.History == nil {
		j.degrade(LearnUnavailable)
		return
	}
	p, list, err := a.adjusted(ctx, j)
	if err == nil && len(list) > 0 {
		j.learned, err = list, j.applyProfile(p)
	}
	if err != nil {
		a.log().Warn("nothing learnt", "project", j.target.Project, "profile", j.profile.ID, "error", err)
		j.degrade(LearnUnavailable)
	}
}

func (a *Assembler) adjusted(ctx context.Context, j *job) (profile.Profile, []receipt.Learned, error) {
	project := j.target.Project
	ended, err := a.endedTasks(ctx, project)
	if err != nil {
		return j.profile, nil, err
	}
	seen, err := a.Learned.Seen(ctx, project, learn.Group{AgentKind: j.kind, Profile: j.profile.ID}, ended,
		a.receiptsFor(project))
	if err != nil {
		return j.profile, nil, err
	}
	p, list := learn.Adjust(j.profile, seen)
	return p, list, nil
}

// endedTasks are the tasks of a project that are recorded as completed, the oldest first.
func (a *Assembler) endedTasks(ctx context.Context, project string) ([]receipt.Ended, error) {
	state, err := a.History.Load(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("read the tasks of project %q: %w", project, err)
	}
	ended := make([]receipt.Ended, len(state.Tasks))
	for i, t := range state.Tasks {
		ended[i].TaskID, ended[i].Success = t.ID, t.Success
	}
	return ended, nil
}

// receiptsFor reads the receipts of some tasks of a project, and parses no other ones: mostly a single task has ended
// since.
func (a *Assembler) receiptsFor(project string) learn.Receipts {
	return func(ctx context.Context, tasks []string) ([]*receipt.Receipt, error) {
		var fields [][]byte
		for _, id := range tasks {
			text, err := json.Marshal(id)
			if err != nil {
				return nil, fmt.Errorf("look for receipts of task %q: %w", id, err)
			}
			fields = append(fields, append([]byte(`"task_id":`), text...))
		}
		return a.readReceipts(ctx, project, MaxReceipts, func(data []byte) bool {
			named := func(field []byte) bool { return bytes.Contains(data, field) }
			return len(fields) >= 8 || slices.ContainsFunc(fields, named)
		})
	}
}

// LearnedOf is what outcomes say about one kind of agent under one profile.
type LearnedOf struct {
	AgentKind string            `json:"agent_kind"`
	Profile   string            `json:"profile"`
	On        bool              `json:"on"`       // the numbers hold; else they would
	Outcomes  int               `json:"outcomes"` // tasks that were learnt from
	Changes   []receipt.Learned `json:"changes"`
}

// WhatIsLearned tells of each kind of agent and profile of a project what outcomes move, by their names.
func (a *Assembler) WhatIsLearned(ctx context.Context, project string) ([]LearnedOf, error) {
	if a.Learned == nil || a.History == nil {
		return nil, errNoStore
	}
	ended, err := a.endedTasks(ctx, project)
	if err != nil {
		return nil, err
	}
	groups, err := a.Learned.Groups(ctx, project, ended, a.receiptsFor(project))
	if err != nil {
		return nil, err
	}
	out := []LearnedOf{}
	for _, g := range slices.SortedFunc(maps.Keys(groups), func(x, y learn.Group) int {
		return cmp.Or(cmp.Compare(x.AgentKind, y.AgentKind), cmp.Compare(x.Profile, y.Profile))
	}) {
		p, err := a.profiles().Get(g.Profile)
		if err != nil { // one of a request's own, or of another file of profiles
			continue
		}
		_, changes := learn.Adjust(p, groups[g])
		out = append(out, LearnedOf{g.AgentKind, g.Profile, a.learningOn(project, &p), len(groups[g]),
			append([]receipt.Learned{}, changes...)})
	}
	return out, nil
}

// ResetLearned forgets what outcomes say about a profile of a project, or about all for "", and returns how many there
// were. What ended so far does not count again.
func (a *Assembler) ResetLearned(ctx context.Context, project, profile string) (int, error) {
	if a.Learned == nil || a.History == nil {
		return 0, errNoStore
	}
	if profile != "" {
		if _, err := a.profiles().Get(profile); err != nil {
			return 0, err
		}
	}
	ended, err := a.endedTasks(ctx, project)
	if err != nil {
		return 0, err
	}
	return a.Learned.Reset(ctx, project, profile, ended, a.receiptsFor(project))
}
