package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/servers"
)

// Limits of a recall.
const (
	recallDefault = 5
	recallMax     = 50
)

// RecallRequest asks memory for more than what a context brought along.
type RecallRequest struct {
	Agent      string `json:"agent"`
	Project    string `json:"project"` // id; "" means none
	Query      string `json:"query"`
	MemoryType string `json:"memory_type"` // a kind of memory; "" means all
	Limit      int    `json:"limit"`       // 0 means 5
}

// Recalled is what memory says.
type Recalled struct {
	Items []RecalledItem `json:"items"` // the most relevant first
	// as it may stand in a prompt: fenced, each piece with its source; "" for nothing
	Text string `json:"text"`
	// all of several servers, where one did not answer: what that one holds is missing
	Servers []servers.State `json:"servers,omitempty"`
}

// RecalledItem is one thing that is remembered.
type RecalledItem struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Scope     string  `json:"scope"`
	Content   string  `json:"content"`
	Relevance float64 `json:"relevance"`
	Verify    bool    `json:"verify"`
	Date      string  `json:"-"`     // when it was said, where that matters
	Type      string  `json:"type"`  // Kind, and the next, as the source design names them
	Score     float64 `json:"score"` // Relevance
	Tier      string  `json:"tier"`
}

// Recall answers an agent's question to memory. What it is given counts as used and as injected: it cannot be
// remembered again as something new.
func (a *Assembler) Recall(ctx context.Context, q RecallRequest) (*Recalled, error) {
	switch {
	case a.Memory == nil:
		return nil, errNoStore
	case q.Agent == "" || len(q.Agent) > maxAgent || !utf8.ValidString(q.Agent):
		return nil, invalid("agent", "want 1 to %d bytes of UTF-8", maxAgent)
	case strings.TrimSpace(q.Query) == "":
		return nil, invalid("query", "want text that is not empty")
	case q.Limit < 0 || q.Limit > recallMax:
		return nil, invalid("limit", "want a whole number from 1 to %d (got %d)", recallMax, q.Limit)
	}
	f := memory.Filter{Limit: q.Limit}
	f.Limit = cmp.Or(f.Limit, recallDefault)
	if q.MemoryType != "" {
		kind, err := memory.ParseKind(q.MemoryType)
		if err != nil {
			want := err.Error()
			if bad := (*memory.Invalid)(nil); errors.As(err, &bad) {
				want = fmt.Sprintf("%q: want %s", bad.Value, bad.Want)
			}
			return nil, &RequestError{Field: "memory_type", Want: want, Err: err}
		}
		f.Kinds = []string{string(kind)}
	}
	who := memory.Who{Agent: q.Agent, Project: q.Project}
	hits, err := a.Memory.Search(ctx, who, safetext.Cut(q.Query, maxQuery), f)
	if !servers.Enough(err, len(hits)) {
		return nil, fmt.Errorf("recall for %q: %w", q.Agent, err)
	}
	out := &Recalled{Items: []RecalledItem{}, Servers: servers.Missing(err)}
	var ids, texts []string
	var pieces []compile.Piece
	for _, h := range hits {
		out.Items = append(out.Items, RecalledItem{ID: h.ID, Kind: string(h.Kind), Scope: string(h.Scope),
			Content: h.Content, Relevance: h.Relevance, Verify: h.Verify, Date: dateOf(string(h.Kind), h.Said()),
			Type: strings.ToUpper(string(h.Kind)), Score: h.Relevance, Tier: string(h.Tier)})
		ids, texts = append(ids, h.ID), append(texts, h.Content)
		pieces = append(pieces, compile.Piece{ID: h.ID, Source: sourceLabel("memory:" + h.ID), Kind: string(h.Kind),
			Text: h.Content, Verify: h.Verify, Date: dateOf(string(h.Kind), h.Said())})
	}
	if len(hits) == 0 {
		return out, nil
	}
	out.Text = compile.Pieces(pieces)
	if _, err := a.Memory.Touch(ctx, who, ids...); err != nil {
		a.log().Warn("recall not counted as use", "agent", q.Agent, "error", err)
	}
	if err := a.Memory.NoteInjected(ctx, who, texts...); err != nil { // without this the loop is open
		return nil, fmt.Errorf("note what %q was given: %w", q.Agent, err)
	}
	return out, nil
}
