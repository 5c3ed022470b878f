package prompt

import (
	"cmp"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
)

// form is one way in which a piece can stand in a prompt.
type form struct {
	verdict receipt.Decision
	piece   compile.Piece
	tokens  int
}

// forms are the ways in which a piece can stand, the best first. Without words no shorter ones are made.
func (j *job) forms(l *line, words tokens.Words) []form {
	full := compile.Piece{ID: l.item.ID, Source: sourceLabel(l.item.Source), Kind: l.item.Kind, Language: l.language,
		Text: l.item.Text, Verify: l.Verify, Date: dateOf(l.item.Kind, l.saidAt)}
	pointer := full
	pointer.Pointer, pointer.Guess, pointer.Text = true, l.grade == possible, l.item.Line
	full.Source = cmp.Or(l.place, full.Source)
	var out []form
	add := func(v receipt.Decision, p compile.Piece) {
		f := form{v, p, j.counter.Count(p.Rendered())}
		if len(out) == 0 || f.tokens < out[len(out)-1].tokens {
			out = append(out, f)
		}
	}
	if l.verdict != receipt.Pointer {
		ratio := 1.
		if words != nil && j.policy.Compress && !l.preserved && !l.asked {
			l.short, ratio = tokens.Compress(l.item.Text, tokens.FormOf(l.item.Kind), words, j.policy.Aggressiveness)
		}
		if ratio == 1 || j.policy.Mode != profile.Cheap { // in a cheap context what can be shortened is
			add(receipt.Full, full)
		}
		if ratio < 1 {
			full.Text = l.short
			add(receipt.Compressed, full)
		}
	}
	if l.block {
		add(receipt.Pointer, pointer)
	}
	return out
}

// sourceLabel is a source as a prompt names it: a path and its lines, or memory and the start of an id, whose rest
// would cost more tokens than it tells.
func sourceLabel(source string) string {
	if rest, ok := strings.CutPrefix(source, "file:"); ok {
		return rest
	}
	return safetext.Cut(source, len("memory:mem_")+8)
}

// dateOf is the day of a decision, as a prompt shows it; "" of anything else.
func dateOf(kind string, said time.Time) string {
	if kind != kindDecision || said.IsZero() {
		return ""
	}
	return said.UTC().Format(time.DateOnly)
}
