package compile

import "testing"

func TestMarksHoldEachPieceWhereItStands(t *testing.T) {
	t.Parallel()
	list := []Piece{{Source: "memory:m_1", Kind: "fact", Text: "lives an hour"},
		{Source: "a.go:1-2", Language: "go", Text: "x := 1"}, {Source: "a.go:1-2", Language: "go", Text: "x := 1"},
		{Source: "b.go:3-4", Language: "go", Missing: "b.go:3-4 has changed since"},
		{Source: "c.go:5-6", Language: "go", Pointer: true, Text: "func C()"}}
	content, marks := PiecesWithMarks(list)
	if content != Pieces(list) {
		t.Fatalf("content %q", content)
	}
	before := map[int]bool{}
	for i, m := range marks {
		if got := content[m.Start:m.End]; got != list[i].text() || before[m.Start] {
			t.Errorf("piece %d at %+v: %q", i, m, got)
		}
		before[m.Start] = true
	}
	c := Context{SystemPrompt: "s",
		Sections: []Section{{Name: "A", Content: "one"}, {Name: "B"}, {Name: "C", Content: content}}}
	for i, m := range Marks(c.Sections) {
		if got := c.Messages()[1].Content[m.Start:m.End]; got != c.Sections[i].Content {
			t.Errorf("section %d: %q", i, got)
		}
	}
}
