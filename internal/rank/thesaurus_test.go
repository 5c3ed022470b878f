package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/lexical"
)

// Letter by letter, a word has the same relatives in the same order as in the whole file.
func TestAWordIsRelatedToAllWordsOfItsGroups(t *testing.T) {
	t.Parallel()
	want := map[string][]string{}
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for _, w := range group {
			stem := lexical.Stem(w)
			if stem[0] != w[0] {
				t.Errorf("%q has the stem %q: it stands under another letter", w, stem)
			}
			for _, other := range group {
				if o := lexical.Stem(other); o != stem {
					want[stem] = append(want[stem], o)
				}
			}
		}
	}
	if len(want) < 500 {
		t.Fatalf("%d words", len(want))
	}
	for stem, others := range want {
		var got []string
		related(stem, func(other string) { got = append(got, other) })
		if !slices.Equal(got, others) {
			t.Errorf("%q: %q, want %q", stem, got, others)
		}
	}
	for _, none := range []string{"", "#", "xyzzy", "日本"} {
		related(none, func(other string) { t.Errorf("%q is related to %q", none, other) })
	}
}
