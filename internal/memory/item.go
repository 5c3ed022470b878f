package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Item is one thing that is remembered. Its id follows from its scope, owner, kind and text, so that the same text is
// the same item whoever writes it, and when.
type Item struct {
	ID           string     `json:"id"`
	AgentID      string     `json:"agent_id"`          // who wrote it first
	Project      string     `json:"project,omitempty"` // what it is about, and where its citations lie
	Scope        Scope      `json:"scope"`
	Kind         Kind       `json:"kind"`
	Content      string     `json:"content"`
	Importance   float64    `json:"importance"` // in [0,1], as of the last write or re-tiering
	Tier         Tier       `json:"tier"`
	AccessCount  int        `json:"access_count"`
	CreatedAt    time.Time  `json:"created_at"`
	LastAccessed time.Time  `json:"last_accessed"`
	SaidAt       time.Time  `json:"said_at,omitzero"` // when it was written again, the last time; see [Item.Said]
	Tags         []string   `json:"tags,omitempty"`   // sorted, each once
	Citations    []Citation `json:"citations,omitempty"`
	TaskID       string     `json:"task_id,omitempty"` // the task it was written for
	Past         bool       `json:"past,omitempty"`    // that task is not the current one any more
	Pinned       *float64   `json:"pinned,omitempty"`  // the importance that was given with it; it does not fade
	Demoted      bool       `json:"demoted,omitempty"` // WARM for want of room in HOT, until it is used

	// What is known only when it is read; never stored.

	Verify   bool `json:"verify,omitempty"`   // what it cites changed since, or cannot be checked
	Archived bool `json:"archived,omitempty"` // put away
	// SHA-256, in hexadecimal, of what a prompt shows of it; see [Memory.Diff]
	Hash string `json:"hash,omitempty"`
}

// Citation names the lines of a file that an item speaks of, and the file's hash when it was written.
type Citation struct {
	Path string `json:"path"` // relative to the project's root
	Span *Span  `json:"span,omitempty"`
	Hash string `json:"hash,omitempty"` // SHA-256 of the file, in hexadecimal; "": unknown when it was written
}

// Span is a range of lines, both ends inclusive, from 1.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// idOf is the id of the item with these properties. owner is the agent, project or "" of the scope.
func idOf(scope Scope, owner, project string, kind Kind, content string) string {
	h := sha256.New()
	for _, s := range []string{string(scope), owner, project, string(kind), normal(kind, content)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "mem_" + hex.EncodeToString(h.Sum(nil)[:16])
}

// normal is the text by which duplicates are found: for prose, case and white space do not count; for code and output
// only line ends and blanks at the ends of lines.
func normal(kind Kind, text string) string {
	if t := traits[kind]; t == nil || !t.Exact {
		return strings.ToLower(strings.Join(strings.Fields(text), " "))
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// hash is the SHA-256 of what a prompt shows of an item: what it is, what it says and cites. How important it is does
// not count.
func (it *Item) hash() [sha256.Size]byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\x00%s\x00%d:%s", it.Scope, it.Kind, len(it.Content), it.Content)
	for _, t := range it.Tags {
		fmt.Fprintf(&b, "\x00%s", t)
	}
	for _, c := range it.Citations {
		fmt.Fprintf(&b, "\x00%q %q", c.Path, c.Hash)
		if c.Span != nil {
			fmt.Fprintf(&b, " %d-%d", c.Span.Start, c.Span.End)
		}
	}
	return sha256.Sum256(b.Bytes())
}

// encode is the document of an item.
func encode(it Item) ([]byte, error) {
	it.Verify, it.Archived, it.Hash = false, false, ""
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(it); err != nil {
		return nil, fmt.Errorf("encode item %q: %w", it.ID, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func decode(data []byte) (it Item, err error) {
	err = json.Unmarshal(data, &it)
	return it, err
}

// Said is when somebody wrote the item last: from then on it holds again, whatever was written before.
func (it *Item) Said() time.Time {
	if it.SaidAt.IsZero() {
		return it.CreatedAt
	}
	return it.SaidAt
}

// merge makes one item of two with the same text: it was written again at a time. Nothing of either is lost: accesses
// add up, tags and citations are united. It becomes no less important: an importance that was given counts if it is the
// higher one. Being written again counts as a use.
func merge(old, again Item, now time.Time) Item {
	it := old
	it.AccessCount += again.AccessCount + 1
	it.LastAccessed = latest(old.LastAccessed, again.LastAccessed, now)
	it.SaidAt = latest(old.Said(), again.Said())
	if again.CreatedAt.Before(it.CreatedAt) {
		it.CreatedAt = again.CreatedAt
	}
	it.Tags = union(old.Tags, again.Tags)
	it.Citations = slices.Clone(old.Citations)
	for _, c := range again.Citations {
		i := slices.IndexFunc(it.Citations, func(o Citation) bool {
			return o.Path == c.Path && sameSpan(o.Span, c.Span)
		})
		switch {
		case i < 0 && len(it.Citations) < maxCitations:
			it.Citations = append(it.Citations, c)
		case i >= 0 && c.Hash != "": // it was true again when it was written again
			it.Citations[i] = c
		}
	}
	if again.TaskID != "" {
		it.TaskID, it.Past = again.TaskID, again.Past
	}
	it.Demoted = false
	if again.Pinned != nil && *again.Pinned > Importance(&it, now) {
		it.Pinned = again.Pinned
	}
	it.rate(now)
	return it
}

func sameSpan(a, b *Span) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// union is the tags of both, sorted, each once, at most maxTags.
func union(a, b []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	return all[:min(len(all), maxTags)]
}

func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
