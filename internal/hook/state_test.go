package hook

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/prompt"
)

// text and pointer are two given pieces.
var (
	text1    = piece{ID: "code:a.go#Drop", Path: "a.go", First: 10, Last: 20, Hash: "11"}
	pointer1 = piece{ID: "code:b.go#Keep", Path: "b.go", First: 1, Last: 9, Hash: "22", Pointer: true}
)

func given(id string, pieces ...piece) record {
	return record{Kind: givenPieces, ID: id, Roots: []string{"/w"}, Pieces: pieces}
}

func act(kind, file string) record { return record{Kind: kind, File: file} }

func TestFeedbackOfATurn(t *testing.T) {
	t.Parallel()
	part := func(file string, first, last int) record {
		return record{Kind: readFile, File: file, Part: true, First: first, Last: last}
	}
	for name, tt := range map[string]struct {
		acts []record
		want prompt.Feedback
	}{
		"nothing was done": {nil, prompt.Feedback{}},
		"a given file was edited": {[]record{act(editFile, "/w/a.go")},
			prompt.Feedback{Edited: []string{"a.go"}}},
		"a given text was read whole again": {[]record{act(readFile, "/w/a.go")},
			prompt.Feedback{Opened: []string{text1.ID}}},
		"its lines were read again": {[]record{part("/w/a.go", 20, 40)},
			prompt.Feedback{Opened: []string{text1.ID}}},
		"other lines of its file were read":  {[]record{part("/w/a.go", 21, 40)}, prompt.Feedback{}},
		"somewhere in its file was searched": {[]record{part("/w/a.go", 0, 0)}, prompt.Feedback{}},
		"a pointer was opened": {[]record{part("/w/b.go", 30, 40)},
			prompt.Feedback{Followed: []string{pointer1.ID}}},
		"another file was read": {[]record{act(readFile, "/w/c.go"), act(readFile, "/w/c.go")},
			prompt.Feedback{Opened: []string{"c.go"}}},
		"another file was edited": {[]record{act(editFile, "/w/c.go")},
			prompt.Feedback{Edited: []string{"c.go"}}},
		"a new file was missed by nobody": {[]record{act(addFile, "/w/c.go")}, prompt.Feedback{}},
		"an edit elsewhere repeats its lines": {[]record{{Kind: addFile, File: "/w/c.go", Cites: []string{text1.ID}}},
			prompt.Feedback{Followed: []string{text1.ID}}},
		"a file outside does not count": {[]record{act(readFile, "/etc/hosts"), act(editFile, "/w2/a.go")},
			prompt.Feedback{}},
		"a search": {[]record{{Kind: findText, Query: "func Drop"}}, prompt.Feedback{Searched: []string{"func Drop"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stateOf(append([]record{given("ctx_1", text1, pointer1)}, tt.acts...))
			f := s.pending()[0].feedback()
			if !f.Done || !slices.Equal(f.Edited, tt.want.Edited) || !slices.Equal(f.Opened, tt.want.Opened) ||
				!slices.Equal(f.Followed, tt.want.Followed) || !slices.Equal(f.Searched, tt.want.Searched) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestTheWindowHoldsWhatItWasGivenUntilItIsCompacted(t *testing.T) {
	t.Parallel()
	whole := prompt.Held{Path: "c.go"}
	for name, tt := range map[string]struct {
		records []record
		want    []prompt.Held
	}{
		"pieces": {[]record{given("1", text1, pointer1)},
			[]prompt.Held{{ID: text1.ID, Hash: "11"}, {ID: pointer1.ID, Hash: "22", Pointer: true}}},
		"without a receipt too":      {[]record{given("", text1)}, []prompt.Held{{ID: text1.ID, Hash: "11"}}},
		"a file that was read whole": {[]record{given("1"), act(readFile, "/w/c.go")}, []prompt.Held{whole}},
		"a file that was made":       {[]record{given("1"), act(addFile, "/w/c.go")}, []prompt.Held{whole}},
		"a file read in part":        {[]record{given("1"), {Kind: readFile, File: "/w/c.go", Part: true}}, nil},
		"what a sub-agent read":      {[]record{given("1"), {Kind: readFile, File: "/w/c.go", Sub: true}}, nil},
		"a search":                   {[]record{given("1"), {Kind: findText, Query: "x"}}, nil},
		"nothing after compaction": {[]record{given("1", text1), act(readFile, "/w/c.go"), {Kind: wasCompacted}},
			nil},
		"what came after it": {[]record{given("1", pointer1), {Kind: wasCompacted}, given("2", text1)},
			[]prompt.Held{{ID: text1.ID, Hash: "11"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s := stateOf(tt.records); !slices.Equal(s.held, tt.want) {
				t.Errorf("%+v", s.held)
			}
		})
	}
}

func TestATurnIsPendingUntilItsFeedbackIsSent(t *testing.T) {
	t.Parallel()
	sent := func(id string) record { return record{Kind: wasSent, ID: id} }
	for name, tt := range map[string]struct {
		records []record
		want    []string
	}{
		"given":                        {[]record{given("1")}, []string{"1"}},
		"sent":                         {[]record{given("1"), sent("1")}, nil},
		"interrupted, then another":    {[]record{given("1"), given("2")}, []string{"1", "2"}},
		"only one of them sent":        {[]record{given("1"), given("2"), sent("2")}, []string{"1"}},
		"the agent went on afterwards": {[]record{given("1"), sent("1"), act(editFile, "/w/a.go")}, []string{"1"}},
		"without a receipt":            {[]record{given("")}, nil},
		"acts before any prompt":       {[]record{act(editFile, "/w/a.go")}, nil},
	} {
		var got []string
		s := stateOf(tt.records)
		for _, x := range s.pending() {
			got = append(got, x.id)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestStateOfALongSessionIsBounded(t *testing.T) {
	t.Parallel()
	var records []record
	for range 3 * maxHeld {
		records = append(records, given("1", text1), act(readFile, "/w/c.go"))
	}
	for range 2 * maxTurnActs {
		records = append(records, act(readFile, "/w/c.go"))
	}
	s := stateOf(records)
	if len(s.held) != maxHeld || len(s.turns) != maxTurns || len(s.turns[maxTurns-1].acts) != maxTurnActs {
		t.Errorf("%d held, %d turns, %d acts", len(s.held), len(s.turns), len(s.turns[maxTurns-1].acts))
	}
}
