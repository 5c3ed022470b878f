package prompt

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/receipt"
)

// PartState says how a part of a prompt that is compiled again compares with what was sent.
type PartState string

// The states of a part. The text of one that is not the same is a line in brackets that says so.
const (
	PartSame    PartState = "same"
	PartChanged PartState = "changed"  // its source says something else now
	PartGone    PartState = "gone"     // its source is not there any more, or is left out
	PartNotKept PartState = "not_kept" // the caller handed it in, or the receipt does not tell enough
)

// Prompt is the prompt of a context, compiled again from its receipt and from what its sources say now.
type Prompt struct {
	ID       string    `json:"id"`
	Exact    bool      `json:"exact"` // Messages have the hash of those that were sent
	Messages []Message `json:"messages"`
	Parts    []Part    `json:"parts"`  // in the order of the receipt; what lies between them is the frame
	Tokens   int       `json:"tokens"` // of the messages that were sent
}

// Part is a part of a prompt with where it is from and why it stands there.
type Part struct {
	Message   int              `json:"message"` // index
	Start     int              `json:"start"`   // bytes [Start, End) of its content
	End       int              `json:"end"`
	Section   string           `json:"section"` // "" for the system prompt
	Item      string           `json:"item"`    // id of the receipt's item; "" for a part that is no piece
	Source    string           `json:"source"`
	Kind      string           `json:"kind"`
	Grade     string           `json:"grade"` // of code, by its relevance: strong, likely or possible
	Relevance float64          `json:"relevance"`
	Decision  receipt.Decision `json:"decision"`
	Reason    string           `json:"reason"`
	Tokens    int              `json:"tokens"`
	State     PartState        `json:"state"`
}

// Bounds of a prompt that is compiled again; what is beyond them is PartNotKept.
const (
	maxPromptParts = 2000
	maxPromptBytes = 8 << 20 // of all texts
)

// Prompt compiles the prompt of a context again: receipts keep no text. The error is that of Receipt.
func (a *Assembler) Prompt(ctx context.Context, id string) (*Prompt, error) {
	r, err := a.Receipt(ctx, id)
	if err != nil {
		return nil, err
	}
	w := &rewriter{a: a, ctx: ctx, r: r, out: &Prompt{ID: r.ID, Parts: []Part{}, Tokens: r.Tokens},
		left: maxPromptBytes}
	defer w.close()
	w.write()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("compile context %q again: %w", id, err)
	}
	return w.out, nil
}

// write compiles the messages and marks their parts.
func (w *rewriter) write() {
	system, state := w.system()
	c := compile.Context{SystemPrompt: system}
	w.out.Parts = append(w.out.Parts, Part{End: len(system), Source: "strategy:" + w.r.AgentKind, State: state})
	var inner [][]Part
	for _, s := range w.r.Sections {
		if len(c.Sections) == maxPromptParts {
			break
		}
		content, parts := w.section(s)
		c.Sections, inner = append(c.Sections, compile.Section{Name: s.Name, Content: content}), append(inner, parts)
	}
	for i, m := range compile.Marks(c.Sections) {
		for _, p := range inner[i] {
			p.Message, p.Start, p.End, p.Section = 1, p.Start+m.Start, p.End+m.Start, w.r.Sections[i].Name
			w.out.Parts = append(w.out.Parts, p)
		}
	}
	c.Question, state = w.question()
	w.out.Messages = c.Messages()
	if last := len(w.out.Messages) - 1; c.Question != "" {
		end := len(w.out.Messages[last].Content) - 1
		asked := compile.Context{Question: c.Question}
		start := len(w.out.Messages[last].Content) - len(asked.Messages()[1].Content) +
			len("## "+compile.HeadingQuestion+"\n")
		w.out.Parts = append(w.out.Parts, Part{Message: last, Start: start, End: end, Section: compile.HeadingQuestion,
			Source: "question", State: state})
	}
	w.out.Exact = w.r.Prompt != nil && compile.Hash(w.out.Messages) == w.r.Prompt.Hash
}
