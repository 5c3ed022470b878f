package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
)

func TestEachNeedIsMetInTheBestWay(t *testing.T) {
	t.Parallel()
	tree := task{Relevant: []need{{Path: "a.go", Ranges: [][2]int{{1, 2}, {9, 10}}}, {Path: "b.go", Lines: []int{5, 5}},
		{Path: "c.go"}, {Path: "d.go"}}}
	r := &receipt.Receipt{Items: []receipt.Line{
		{Source: "file:a.go:30-40", Decision: receipt.Pointer, Reason: "possible"},
		{Source: "file:a.go:1-4", Hash: "h", Decision: receipt.Full},
		{Source: "file:b.go:1-9", Decision: receipt.Pointer, Reason: "cap_bytes"},
		{Source: "file:c.go:1-9", Decision: receipt.Pointer, Reason: "possible"},
		{Source: "file:d.go.txt:1-9", Decision: receipt.Full},
		{Source: "file:d.go:1-9", Decision: receipt.Dropped, Reason: "budget"},
	}}
	reply := &prompt.Reply{Tokens: 900,
		Sections: []prompt.Section{{Name: compile.SectionTask, Tokens: 50}, {Name: compile.SectionCode, Tokens: 70}}}
	var got sum
	got.add(&tree, reply, r, map[string][2]int{"h": {2, 4}})
	got.add(&task{}, reply, r, nil)
	want := sum{needs: 4, text: 1, pointer: 1, guess: 1, spans: 2, touched: 1, lines: .25, tasks: 1, tokens: 70,
		most: 70, absent: 1, waste: 70}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTasksAreThoseOfTheTreesAndCategories(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "tasks.jsonl")
	data := `{"repo":"quay","category":"task","query":"mend it"}` + "\n" +
		`{"repo":"quay","category":"name","query":"x"}` + "\n" + `{"repo":"pier","category":"task","query":"x"}` + "\n"
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	s := settings{trees: map[string]string{"quay": "/quay"}, categories: []string{"task"}}
	if got, err := readTasks(s, []string{name}); err != nil || len(got) != 1 || got[0].Query != "mend it" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(name, []byte(data+"{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTasks(s, []string{name}); err == nil {
		t.Error("a line that is no JSON is no error")
	}
}
