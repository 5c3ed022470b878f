package compile

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/profile"
)

func TestAProfilesLayoutNamesAndOrdersEachSource(t *testing.T) {
	t.Parallel()
	s := State{Issue: &Issue{Title: "Slow quay"}, Design: "design",
		Code:    []Piece{{Source: "quay.go:1-2", Language: "go", Text: "package quay"}},
		Memory:  []Piece{{Source: "memory:m", Kind: "fact", Text: "tides turn"}},
		History: "1. done", Blockers: "- waits",
		Task: &Task{ID: "t", Title: "Mend the quay", Diff: "+x", Acceptance: []string{"it holds"},
			Steps: []Step{{Description: "begin"}}, FileOperations: []FileOperation{{"modify", "quay.go"}}}}
	base, err := NewRegistry().For("")
	if err != nil {
		t.Fatal(err)
	}
	l := Layout{Base: base, Prompt: "You are the pilot."}
	var want []string
	for i, source := range slices.Backward(profile.Sources) {
		l.Sections = append(l.Sections, profile.Section{Name: "Part " + string(rune('a'+i)), Source: source})
		want = append(want, "Part "+string(rune('a'+i)))
	}
	c, err := l.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range c.Sections {
		if got = append(got, x.Name); strings.TrimSpace(x.Content) == "" {
			t.Errorf("section %q is empty", x.Name)
		}
	}
	if !slices.Equal(got, want) || !strings.HasPrefix(c.SystemPrompt, "You are the pilot.\n\nText in fences") ||
		l.Takes() != TakesAll {
		t.Errorf("sections %q, want %q; prompt %q", got, want, c.SystemPrompt)
	}
	if l.Sections = l.Sections[:1]; l.Takes() != TakesCode || l.Shows(profile.SourceTask) ||
		l.Heading(profile.SourceCode, "x") != want[0] || l.Heading(profile.SourceTask, "x") != "x" {
		t.Errorf("a layout of %q takes %b", l.Sections, l.Takes())
	}
	l = Layout{Base: base, Prompt: "You pilot."}
	plain, _ := base.Compile(s)
	if c, err := l.Compile(s); err != nil || len(c.Sections) != len(plain.Sections) || l.Takes() != base.Takes() {
		t.Errorf("a layout without sections: %+v, %v", c, err)
	}
	knight, _ := NewRegistry().For("knight")
	if _, err := (Layout{Base: knight, Prompt: "x"}).Compile(State{}); err != ErrNoTask {
		t.Errorf("what the base needs is not asked for: %v", err)
	}
}
