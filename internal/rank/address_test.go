package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestAddressesInAMessageAreNotWordsOfTheQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ in, out []string }{
		"tide table could not be read (from https://api.harbour.example/v1/berth/list?pilot=7)": {
			[]string{"tide", "tabl"}, []string{"api", "berth", "pilot"}},
		"lease refused by redis://quay:6379/0 after a restart":                                {[]string{"leas", "restart"}, []string{"quay"}},
		"where is https://api.harbour.example/v1/berth called":                                {[]string{"berth"}, nil},
		"https://api.harbour.example/v1/berth":                                                {[]string{"harbour", "berth"}, nil},
		"berth::list://":                                                                      {[]string{"berth"}, nil},
		strings.Repeat("the quay is full ", 12) + " see https://api.harbour.example/v1/berth": {[]string{"berth"}, nil},
	} {
		q := Parse(text)
		for _, w := range want.in {
			if _, ok := q.byStem[w]; !ok {
				t.Errorf("%q lacks the word %q: %v", text, w, q.byStem)
			}
		}
		for _, w := range want.out {
			if _, ok := q.byStem[w]; ok {
				t.Errorf("%q has the word %q of its address", text, w)
			}
		}
	}
}

func TestAnAddressStillNamesItsFile(t *testing.T) {
	t.Parallel()
	q := Parse("berth is refused at lines 5 to 7 of src/quay/berth.go, see https://harbour.example/docs")
	if !slices.Contains(q.paths, "src/quay/berth.go") {
		t.Errorf("the question names no path beside an address: %q", q.paths)
	}
}
