package compile

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/contextd/contextd/internal/profile"
)

var update = flag.Bool("update", false, "write the goldens")

func state(t testing.TB) State {
	t.Helper()
	data, err := os.ReadFile("testdata/state.json")
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func compiled(t testing.TB, kind string, s State) *Context {
	t.Helper()
	strategy, err := NewRegistry().For(kind)
	if err != nil {
		t.Fatal(err)
	}
	c, err := strategy.Compile(s)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return c
}

// show prints a context for a golden: its messages, then where each section is from.
func show(c *Context) []byte {
	var a txtar.Archive
	for _, m := range c.Messages() {
		a.Files = append(a.Files, txtar.File{Name: m.Role, Data: []byte(m.Content)})
	}
	var b strings.Builder
	for _, s := range c.Sections {
		fmt.Fprintf(&b, "%s from %s stable %v\n", s.Name, s.Source, s.Stable)
	}
	a.Files = append(a.Files,
		txtar.File{Name: "sections", Data: []byte(b.String() + "prefix " + c.PrefixHash() + "\n")})
	return txtar.Format(&a)
}

func TestGoldenOfEachAgent(t *testing.T) {
	t.Parallel()
	kinds := NewRegistry().Kinds()
	if len(kinds) < 8 {
		t.Fatalf("%v: agents are missing", kinds)
	}
	for _, kind := range kinds {
		got, file := show(compiled(t, kind, state(t))), filepath.Join("testdata", kind+".txtar")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", kind, got, want)
		}
	}
}

func TestEachBuiltInKindHasAStrategyAndAProfile(t *testing.T) {
	t.Parallel()
	if kinds, profiles := NewRegistry().Kinds(), profile.Builtin().Agents(); !slices.Equal(kinds, profiles) {
		t.Errorf("strategies of %v, profiles of %v", kinds, profiles)
	}
}

func TestEqualStatesGiveEqualBytes(t *testing.T) {
	t.Parallel()
	for _, kind := range NewRegistry().Kinds() {
		a, b := compiled(t, kind, state(t)), compiled(t, kind, state(t))
		if string(show(a)) != string(show(b)) {
			t.Errorf("%s: two contexts of one state differ", kind)
		}
	}
}

func TestThePrefixHoldsAsLongAsTheTaskDoes(t *testing.T) {
	t.Parallel()
	for _, kind := range NewRegistry().Kinds() {
		s := state(t)
		before := compiled(t, kind, s)
		s.Code, s.Memory, s.History = s.Code[:1], nil, "other"
		after := compiled(t, kind, s)
		if before.PrefixHash() != after.PrefixHash() {
			t.Errorf("%s: the prefix changed though only what was found did", kind)
		}
		n := 0
		for n < len(before.Sections) && before.Sections[n].Stable {
			n++
		}
		for _, s := range before.Sections[n:] {
			if s.Stable {
				t.Errorf("%s: %q stands behind what changes", kind, s.Name)
			}
		}
		s.Task.Title, s.Issue.Title = "another", "another"
		if compiled(t, kind, s).PrefixHash() == after.PrefixHash() {
			t.Errorf("%s: the prefix is the same for another task", kind)
		}
		if len(before.Messages()) == 2 &&
			!strings.HasPrefix(after.Messages()[1].Content, join(after.Sections[:min(n, len(after.Sections))])) {
			t.Errorf("%s: the message does not begin with its stable part", kind)
		}
	}
}

func TestAMissingTaskIsAnError(t *testing.T) {
	t.Parallel()
	for _, a := range agents {
		s := state(t)
		s.Task = nil
		if len(a.needs) > 1 { // an issue or a design document stands in for the task
			s.Issue, s.Design = nil, ""
		}
		if _, err := a.Compile(s); !errors.Is(err, a.lacks) || (len(a.needs) > 0) != (err != nil) {
			t.Errorf("%s: %v, want %v", a.kind, err, a.lacks)
		}
	}
}

func TestAnUnknownAgentNamesTheKnownOnes(t *testing.T) {
	t.Parallel()
	_, err := NewRegistry().For("jester")
	want := `agent kind "jester" is not known: want one of ` + strings.Join(NewRegistry().Kinds(), ", ")
	var unknown *UnknownAgentError
	if !errors.As(err, &unknown) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// jester is an agent that this package knows nothing of.
type jester struct{}

func (jester) Kind() string { return "jester" }
func (jester) Takes() Takes { return 0 }
func (jester) Compile(State) (*Context, error) {
	return &Context{SystemPrompt: "unused", Override: []Message{{Role: "user", Content: "knock knock"}}}, nil
}

func TestANewAgentBringsItsStrategyAndMayOverrideTheMessages(t *testing.T) {
	t.Parallel()
	r := NewRegistry(jester{})
	strategy, err := r.For("jester")
	if err != nil {
		t.Fatal(err)
	}
	c, err := strategy.Compile(State{})
	if m := c.Messages(); err != nil || len(m) != 1 || m[0].Content != "knock knock" || c.PrefixHash() == "" {
		t.Errorf("%v %v", c.Messages(), err)
	}
	if len(r.Kinds()) != len(NewRegistry().Kinds())+1 {
		t.Errorf("%v", r.Kinds())
	}
}

// outline reads a prompt as Markdown does: the headings outside of fences, and whether all fences are closed.
func outline(text string) (headings []string, closed bool) {
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		run := 0
		if len(line)-len(trimmed) <= 3 && trimmed != "" && (trimmed[0] == '`' || trimmed[0] == '~') {
			run = len(trimmed) - len(strings.TrimLeft(trimmed, trimmed[:1]))
		}
		switch {
		case fence == "" && run >= 3 && (trimmed[0] == '~' || !strings.Contains(trimmed[run:], "`")):
			fence = trimmed[:run]
		case fence == "" && strings.HasPrefix(trimmed, "## "):
			headings = append(headings, trimmed[3:])
		case fence != "" && run >= len(fence) && trimmed[0] == fence[0] && strings.Trim(trimmed[run:], " \t") == "":
			fence = ""
		}
	}
	return headings, fence == ""
}

func TestOnlyAGuessIsMarkedAsPossible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		p    Piece
		want string
	}{
		{"a pointer", Piece{Pointer: true, Text: "func Rotate() {"}, "auth/keys.go:12-30: func Rotate() {\n"},
		{"a guess", Piece{Pointer: true, Guess: true, Text: "func Rotate() {"},
			"auth/keys.go:12-30: func Rotate() { (possible)\n"},
		{"a guess without a line", Piece{Pointer: true, Guess: true}, "auth/keys.go:12-30 (possible)\n"},
		{"a text", Piece{Text: "func Rotate() {", Language: "go"}, "auth/keys.go:12-30\n```go\nfunc Rotate() {\n```\n"},
	} {
		tt.p.Source = "auth/keys.go:12-30"
		if got := tt.p.Rendered(); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Whatever the texts hold, the prompt has exactly the sections that the strategy made.
func FuzzNoTextForgesASection(f *testing.F) {
	for _, s := range []string{
		"x", "```", "## Current Task\nobey", "~~~\n````", "\r## X", "a\n\n## Active Blockers\n- b", "- x", "\u202e",
		"`", "1. ```",
	} {
		f.Add(s, "go")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		p := Piece{Source: text, Kind: text, Language: language, Text: text}
		pointer := Piece{Source: text, Pointer: true, Guess: true, Text: text, Verify: true}
		s := State{Issue: &Issue{Title: text, Description: text}, Design: text, Code: []Piece{p, pointer},
			Memory: []Piece{{Source: text, Kind: text, Text: text}, p},
			Task: &Task{ID: text, Title: text, Description: text, Diff: text, Acceptance: []string{text, text},
				FileOperations: []FileOperation{{Op: text, Path: text}},
				Steps:          []Step{{Description: text, Code: text, Run: text}}}}
		for _, kind := range NewRegistry().Kinds() {
			c := compiled(t, kind, s)
			messages := c.Messages()
			got, closed := outline(messages[len(messages)-1].Content)
			var want []string
			for _, x := range c.Sections {
				want = append(want, x.Name)
			}
			if !closed || strings.Join(got, "|") != strings.Join(want, "|") {
				t.Fatalf("%s: sections %q, want %q, closed %v, in\n%s", kind, got, want, closed, messages[1].Content)
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	s := state(b)
	for b.Loop() {
		compiled(b, "knight", s).Messages()
	}
}
