package memory

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/secret"
)

// Limits of what can be written.
const (
	MaxContent   = 256 << 10 // bytes
	maxName      = 200       // bytes of an agent, a project, a task, a tag
	maxPath      = 4096
	maxTags      = 32
	maxCitations = 64
	maxBatch     = 10_000 // drafts or ids in one call
)

// Who asks: an agent, and the project it works on. Both are trusted: who may speak for an agent is decided above.
type Who struct {
	Agent   string // 1 to 200 bytes
	Project string // "": none; what others wrote about projects is not seen
}

func (w Who) check() error {
	if w.Agent == "" {
		return invalid("agent", "", "its id, 1 to 200 bytes")
	}
	return cmp.Or(name("agent", w.Agent), name("project", w.Project))
}

// Check names what is wrong with who asks, or with the task that they work on ("": none).
func (w Who) Check(task string) error { return cmp.Or(w.check(), name("task_id", task)) }

// Draft is what an agent wants remembered.
type Draft struct {
	Kind       string     `json:"kind"`            // see [Traits]
	Scope      string     `json:"scope,omitempty"` // "": task
	Content    string     `json:"content"`
	Importance *float64   `json:"importance,omitempty"` // nil: by kind and age; given, it stands and does not fade
	TaskID     string     `json:"task_id,omitempty"`
	Tags       []string   `json:"tags,omitempty"`
	Citations  []Citation `json:"citations,omitempty"` // without a hash: the file as the manifest has it now
}

// item checks a draft and makes an item of it, secrets replaced; rules names which. The times and the importance are
// still to be set.
func (d Draft) item(ctx context.Context, who Who) (it Item, rules []string, err error) {
	kind, err := ParseKind(d.Kind)
	if err != nil {
		return it, nil, err
	}
	scope, err := ParseScope(d.Scope)
	if err != nil {
		return it, nil, err
	}
	switch {
	case scope == ScopeProject && who.Project == "":
		return it, nil, invalid("scope", string(scope), "a project with it")
	case len(d.Content) > MaxContent:
		return it, nil, &Invalid{"content", strconv.Itoa(len(d.Content)) + " bytes",
			"at most " + strconv.Itoa(MaxContent)}
	case !utf8.ValidString(d.Content):
		return it, nil, invalid("content", d.Content, "UTF-8")
	case strings.TrimSpace(d.Content) == "":
		return it, nil, invalid("content", d.Content, "some text")
	case d.Importance != nil && !(*d.Importance >= 0 && *d.Importance <= 1): // NaN too
		return it, nil, invalid("importance", strconv.FormatFloat(*d.Importance, 'g', -1, 64), "0 to 1")
	case len(d.Tags) > maxTags:
		return it, nil, invalid("tags", strconv.Itoa(len(d.Tags)), fmt.Sprintf("at most %d", maxTags))
	case len(d.Citations) > maxCitations:
		return it, nil, invalid("citations", strconv.Itoa(len(d.Citations)), fmt.Sprintf("at most %d", maxCitations))
	}
	if err := name("task_id", d.TaskID); err != nil {
		return it, nil, err
	}
	it = Item{AgentID: who.Agent, Project: who.Project, Scope: scope, Kind: kind, TaskID: d.TaskID}
	if scope == ScopeGlobal {
		it.Project = "" // it is about no project; what it cites lies in the one it was written in
		if len(d.Citations) > 0 {
			it.Project = who.Project
		}
	}
	for _, t := range d.Tags {
		t = strings.TrimSpace(t)
		if t == "" {
			return it, nil, invalid("tag", t, "some text")
		}
		if err := name("tag", t); err != nil {
			return it, nil, err
		}
		it.Tags = append(it.Tags, t)
	}
	it.Tags = union(it.Tags, nil)
	for _, c := range d.Citations {
		if err := c.check(); err != nil {
			return it, nil, err
		}
	}
	it.Citations = slices.Clone(d.Citations)
	if d.Importance != nil {
		pinned := math.Abs(*d.Importance) // −0 is 0
		it.Pinned = &pinned
	}
	if it.Content, rules, err = secret.RedactWithin(ctx, d.Content); err != nil {
		return it, nil, err
	}
	it.ID = idOf(scope, shelfOwner(scope, who), it.Project, kind, it.Content)
	return it, rules, nil
}

func (c Citation) check() error {
	switch {
	case c.Path == "" || len(c.Path) > maxPath || !utf8.ValidString(c.Path) || path.IsAbs(c.Path) ||
		path.Clean(c.Path) != c.Path ||
		c.Path == ".." || strings.HasPrefix(c.Path, "../") || strings.ContainsRune(c.Path, 0):
		return invalid("citation path", c.Path, `a path relative to the project's root, such as "src/a.go"`)
	case c.Span != nil && (c.Span.Start < 1 || c.Span.End < c.Span.Start):
		return invalid("citation span", fmt.Sprintf("%d-%d", c.Span.Start, c.Span.End),
			"lines from 1, the first not behind the last")
	}
	if sum, err := hex.DecodeString(c.Hash); c.Hash != "" &&
		(err != nil || len(sum) != 32 || strings.ToLower(c.Hash) != c.Hash) {
		return invalid("citation hash", c.Hash, "64 lower-case hexadecimal digits, or none")
	}
	return noSecret("citation path", c.Path)
}

// name checks an optional name: an agent's, a project's, a task's, a tag.
func name(field, s string) error {
	switch {
	case len(s) > maxName:
		return invalid(field, s, fmt.Sprintf("at most %d bytes", maxName))
	case !utf8.ValidString(s):
		return invalid(field, s, "UTF-8")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return invalid(field, s, "no control characters")
	}
	return noSecret(field, s)
}

// noSecret refuses a secret where none can be replaced.
func noSecret(field, s string) error {
	if rule, found := secret.Find(s); found {
		return &Invalid{field, "[redacted: " + rule + "]", "no secret"}
	}
	return nil
}

// ids checks a list of ids: at least one, each once.
func ids(list []string) error {
	if len(list) == 0 || len(list) > maxBatch {
		return invalid("ids", strconv.Itoa(len(list)), fmt.Sprintf("1 to %d of them", maxBatch))
	}
	seen := make(map[string]bool, len(list))
	for _, id := range list {
		if id == "" || len(id) > maxName || !utf8.ValidString(id) {
			return invalid("id", id, "the id of an item")
		}
		if seen[id] {
			return invalid("id", id, "each id once")
		}
		seen[id] = true
	}
	return nil
}
