package prompt

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/receipt"
)

func TestPiecesAreFoundInTheFormInWhichTheyStood(t *testing.T) {
	t.Parallel()
	const text = "// Drop deletes sessions.\nfunc Drop(user string) error {\n\treturn db.Exec(user)\n}"
	piece := compile.Piece{Source: "a.go:2-5", Kind: "code", Language: "go", Text: text}
	pointer := compile.Piece{Source: "a.go:1-5", Kind: "code", Language: "go", Pointer: true,
		Text: "func Drop(user string) error {"}
	guess := pointer
	guess.Guess = true
	w := func() *rewriter {
		return &rewriter{a: &Assembler{}, ctx: t.Context(), r: &receipt.Receipt{}, out: &Prompt{}, left: maxPromptBytes,
			opened: true, texts: map[string][]string{"a.go": {"other\nroot", "package a\n" + text + "\n"},
				"long.js": {"x" + string(make([]byte, 2*longLine))}}}
	}
	line := receipt.Line{Source: "file:a.go:1-5", Kind: "code", Language: "go", StartLine: 2, EndLine: 5,
		Hash: receipt.ShortHash(text)}
	for name, c := range map[string]struct {
		change func(l *receipt.Line)
		want   PartState
	}{
		"whole": {func(l *receipt.Line) {
			l.Decision, l.FormHash = receipt.Full, receipt.ShortHash(piece.Rendered())
		}, PartSame},
		"pointer": {func(l *receipt.Line) {
			l.Decision, l.FormHash = receipt.Pointer, receipt.ShortHash(pointer.Rendered())
		}, PartSame},
		"guess": {func(l *receipt.Line) {
			l.Decision, l.FormHash = receipt.Pointer, receipt.ShortHash(guess.Rendered())
		}, PartSame},
		"other form": {func(l *receipt.Line) {
			l.Decision, l.FormHash = receipt.Full, "0123456789abcdef"
		}, PartNotKept},
		"other text": {func(l *receipt.Line) {
			l.Decision, l.Hash = receipt.Full, "0123456789abcdef"
		}, PartChanged},
		"gone":               {func(l *receipt.Line) { l.Source = "file:b.go:1-5" }, PartGone},
		"lines from nowhere": {func(l *receipt.Line) { l.StartLine, l.EndLine = -7, 1<<62 }, PartChanged},
		"a part of a long line": {func(l *receipt.Line) {
			l.Source, l.StartLine, l.EndLine = "file:long.js:1-1", 1, 1
		}, PartNotKept},
	} {
		l := line
		c.change(&l)
		path := l.Source[len("file:"):]
		if _, got := w().codePiece(&l, compile.Piece{Source: sourceLabel(l.Source), Kind: l.Kind, Language: l.Language,
			Pointer: l.Decision == receipt.Pointer}, path); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestReceiptsOfBeforeGiveAPromptOfPlaceholders(t *testing.T) {
	t.Parallel()
	r := &receipt.Receipt{Query: "x",
		Sections: []receipt.Section{{Name: "Relevant Code", Source: "index"}, {Name: "Steps", Source: "task"}},
		Items:    []receipt.Line{{ID: "code:a.go:1", Source: "file:a.go:1-5", Decision: receipt.Full}}}
	w := &rewriter{a: &Assembler{}, ctx: t.Context(), r: r, out: &Prompt{}, left: maxPromptBytes}
	w.write()
	states := []PartState{}
	for _, p := range w.out.Parts {
		states = append(states, p.State)
	}
	if w.out.Exact || !slices.Equal(states, []PartState{PartNotKept, PartNotKept, PartNotKept}) {
		t.Errorf("%+v", w.out)
	}
}

func TestTaskAndIssueAreFoundInTheQueryByTheirHashes(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "\n\n\n", "title\nbody\nmore\nissue\nwhat for"} {
		w := &rewriter{a: &Assembler{}, ctx: t.Context(), r: &receipt.Receipt{Query: query, TaskID: "t-1"}}
		if got := w.taskSection("0123456789abcdef", "task") + w.taskSection("0123456789abcdef", "issue"); got != "" {
			t.Errorf("%q: %q", query, got)
		}
	}
	state := compile.State{Issue: &compile.Issue{Title: "issue", Description: "what for"},
		Task: &compile.Task{ID: "t-1", Title: "title", Description: "body\nmore"}}
	w := &rewriter{a: &Assembler{}, ctx: t.Context(),
		r: &receipt.Receipt{Query: "title\nbody\nmore\nissue\nwhat for", TaskID: "t-1"}}
	for _, source := range []string{"task", "issue"} {
		want := state.SectionsFrom(source)[0].Content
		if got := w.taskSection(receipt.ShortHash(want), source); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
