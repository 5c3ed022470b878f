package usage

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Limits of what is tracked.
const (
	MaxTurns = 200 // prompts of a project
	MaxItems = 500 // items of a prompt
	MaxID    = 256 // bytes of an id
)

const (
	maxWords     = 100_000 // of all items of a prompt; those beyond are known by their files only
	maxMissed    = 200     // per prompt
	maxMissedLen = 256     // bytes
	maxPath      = 1024
)

// Shown is an item that went into a prompt.
type Shown struct {
	ID   string // the same piece has the same id in the next prompt
	Kind string // code, decision, episode, …
	Path string // of its file relative to the root, if it is of one
	Text string // as the agent sees it

	Tokens     int // that it took in the prompt
	FileTokens int // of its whole file; 0 for what is of none
}

// check names what is wrong with an item.
func (s Shown) check() error {
	if s.ID == "" || len(s.ID) > MaxID || len(s.Kind) > MaxID || len(s.Path) > maxPath || !utf8.ValidString(s.ID) ||
		!utf8.ValidString(s.Kind) {
		return fmt.Errorf(
			"item %.40q: want an id of 1 to %d bytes of UTF-8, a kind of at most %d, a path of at most %d", s.ID, MaxID,
			MaxID, maxPath)
	}
	return nil
}

// Turn is one prompt.
type Turn struct {
	ID        string
	At        time.Time
	Agent     string // who got it
	AgentKind string
	Profile   string
	Items     []Shown
}

// item is a Shown as it is kept.
type item struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind,omitempty"`
	Path    string  `json:"path,omitempty"`
	Words   Words   `json:"words,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	Weight  float64 `json:"weight,omitempty"`

	Tokens     int `json:"tokens,omitempty"`
	FileTokens int `json:"file_tokens,omitempty"`
}

// turn is a Turn as it is kept.
type turn struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Agent     string    `json:"agent,omitempty"`
	AgentKind string    `json:"agent_kind,omitempty"`
	Profile   string    `json:"profile,omitempty"`
	Items     []item    `json:"items"`
	Missed    []string  `json:"missed,omitempty"`
}

// keep is t as it is kept.
func (t Turn) keep() (turn, error) {
	k := turn{ID: t.ID, At: t.At.UTC(), Agent: t.Agent, AgentKind: t.AgentKind, Profile: t.Profile,
		Items: make([]item, 0, len(t.Items))}
	for what, name := range map[string]string{
		"turn":       t.ID,
		"agent":      t.Agent,
		"agent kind": t.AgentKind,
		"profile":    t.Profile,
	} {
		if len(name) > MaxID-len(turnDoc) || name == "" && what == "turn" || !utf8.ValidString(name) {
			return k, fmt.Errorf("%s %.40q: want 1 to %d bytes of UTF-8", what, name, MaxID-len(turnDoc))
		}
	}
	if len(t.Items) > MaxItems {
		return k, fmt.Errorf("turn %q: %d items, want at most %d", t.ID, len(t.Items), MaxItems)
	}
	seen, words := map[string]bool{}, 0
	for _, s := range t.Items {
		if err := s.check(); err != nil {
			return k, fmt.Errorf("turn %q: %w", t.ID, err)
		}
		if seen[s.ID] {
			return k, fmt.Errorf("turn %q: item %q: want it once", t.ID, s.ID)
		}
		seen[s.ID] = true
		it := item{ID: s.ID, Kind: s.Kind, Path: s.Path, Tokens: max(s.Tokens, 0), FileTokens: max(s.FileTokens, 0)}
		if w := WordsOf(s.Text); words+len(w) <= maxWords {
			it.Words, words = w, words+len(w)
		}
		k.Items = append(k.Items, it)
	}
	return k, nil
}

// redacted is the turn without the secrets in any of its strings: an item keeps one id, whatever its prompt is called.
func (t turn) redacted(ctx context.Context) (turn, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return t, err
	}
	clean, err := secret.RedactJSONWithin(ctx, data)
	if err != nil {
		return t, err
	}
	if bytes.Equal(clean, data) {
		return t, nil
	}
	t = turn{}
	err = json.Unmarshal(clean, &t)
	return t, err
}

// redacted is feedback with its paths and searches as a turn keeps them.
func (f Feedback) redacted(ctx context.Context) (Feedback, error) {
	for _, list := range []*[]string{&f.Opened, &f.Edited, &f.Searched, &f.Followed} {
		*list = slices.Clone(*list)
		for i, s := range *list {
			clean, _, err := secret.RedactWithin(ctx, s)
			if err != nil {
				return f, err
			}
			(*list)[i] = clean
		}
	}
	return f, nil
}

func redact(text string) string {
	clean, _ := secret.Redact(text)
	return clean
}

const turnDoc = "turn:"

// docOf is the document of a turn.
func docOf(id string) shelves.Doc[turn] { return shelves.JSON[turn](turnDoc + id) }

// ringDoc are the ids of the turns, oldest first; a damaged one begins again.
var ringDoc = shelves.JSONOrZero[[]string]("ring")

// push adds id to the ring of turns and returns the ring and the ids that fall out.
func push(ids []string, id string) (ring, out []string) {
	ids = append(ids, id)
	n := max(0, len(ids)-MaxTurns)
	return ids[n:], ids[:n]
}

var errOther = fmt.Errorf("another turn has this id: %w", store.ErrConflict)
