package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
)

// job is one request on its way.
type job struct {
	req      Request
	task     *Task // never nil
	agent    string
	kind     string
	strategy compile.Strategy
	profile  profile.Profile
	learned  []receipt.Learned // what outcomes moved of the profile
	policy   profile.Request
	plan     intent.Plan
	signals  intent.Signals
	counter  *tokens.Counter
	deadline time.Duration
	query    string // for code
	where    access.Where
	target   access.Target
	fault    error // why the project could not be looked up

	found    found
	asksCode bool // the index is asked
	cost     indexCost
	reasons  []string
	choice   choice
	fitted   fitted
	context  *compile.Context
	sent     []Message
	tokens   int // of sent
}

// degrade notes a reason why the reply is of less than full strength, once.
func (j *job) degrade(reason string) {
	if !slices.Contains(j.reasons, reason) {
		j.reasons = append(j.reasons, reason)
	}
}

// taskText is what the task and its issue say; "" for nothing.
func (j *job) taskText() string {
	parts := []string{j.task.Title, j.task.Description}
	if j.task.Issue != nil {
		parts = append(parts, j.task.Issue.Title, j.task.Issue.Description)
	}
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(s string) bool {
		return strings.TrimSpace(s) == ""
	}), "\n"))
}

// requestText is what the request says: the task or, without one, the question or the last message of the user.
func (j *job) requestText() string {
	text := cmp.Or(j.taskText(), j.req.Query)
	for i := len(j.req.Conversation) - 1; i >= 0 && text == ""; i-- {
		if m := j.req.Conversation[i]; m.Role == "user" {
			text = m.Content
		}
	}
	return safetext.Valid(text)
}

// policyJob is the task as a policy takes it.
func (j *job) policyJob(text string) profile.Job {
	files := slices.Clone(j.task.MentionedFiles)
	for _, op := range j.task.FileOperations {
		files = append(files, op.Path)
	}
	return profile.Job{Mode: j.task.Mode, Tags: j.task.Tags, Files: files, Text: text}
}

// state is what the strategy compiles, without what was found.
func (j *job) state() compile.State {
	s := compile.State{Issue: j.task.Issue, Design: j.task.DesignDocument}
	if t := j.task.Task; j.req.Task != nil && (t.ID != "" || t.Title != "" || t.Description != "" || t.Diff != "" ||
		len(t.Steps)+len(t.FileOperations)+len(t.Acceptance) > 0) {
		s.Task = &t
	}
	return s
}
