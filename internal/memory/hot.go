package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	demotedTo   = HotFrom - .01 // the importance of a demoted item at most
	maxPointers = 200           // of a flash save
	maxPointer  = 80            // characters of a pointer's line
	perItem     = 10            // tokens of an item beside its text, about
)

// Pointer is what stays in an agent's context of an item that was HOT and became WARM for want of room.
type Pointer struct {
	ID   string `json:"item_id"`
	Kind Kind   `json:"item_type"`
	Line string `json:"line"` // the beginning of its first line
}

// tokensOf is about how many tokens an item takes in a prompt.
func tokensOf(it *Item) int { return (len(it.Content)+3)/4 + perItem }

// demote makes WARM what an agent has of its own in HOT beyond so many tokens and items, the least valuable first. The
// current task stays. An item stays demoted until it is used, written again or restored.
func (m *Memory) demote(ctx context.Context, who Who, current string, tokens int) error {
	tokens = cmp.Or(tokens, m.o.HotTokens)
	_, _, err := m.change(ctx, placeOf(ScopeTask, who).live, true, func(live *snapshot) ([]edit, error) {
		var hot []*entry
		for _, e := range live.items {
			if e.Tier == Hot && sees(who, &e.Item) {
				hot = append(hot, e)
			}
		}
		keeps := func(e *entry) bool { return e.Kind == "task" && current != "" && e.TaskID == current }
		slices.SortFunc(hot, func(a, b *entry) int {
			return cmp.Or(truth(keeps(b))-truth(keeps(a)), cmp.Compare(b.Importance, a.Importance),
				b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		var edits []edit
		left := tokens
		for i, e := range hot {
			if left -= tokensOf(&e.Item); keeps(e) || i == 0 || left >= 0 && i < m.o.HotItems {
				continue
			}
			it := e.Item
			it.Demoted = true
			it.rate(m.now())
			edits = append(edits, edit{item: it})
		}
		return edits, nil
	})
	return err
}

// pointers are those to the demoted items among found.
func pointers(found []seen) []Pointer {
	out := []Pointer{}
	for _, s := range found {
		if s.Demoted && s.Tier == Warm && len(out) < maxPointers {
			out = append(out, Pointer{s.ID, s.Kind, firstLine(s.Content)})
		}
	}
	return out
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if utf8.RuneCountInString(text) > maxPointer {
		text = string([]rune(text)[:maxPointer-1]) + "…"
	}
	return text
}
