package rank

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

func TestAMisspeltPartIsReplacedInPlace(t *testing.T) {
	t.Parallel()
	instead := map[string][]string{lexical.Stem("brth"): {"berth", "broth"}, lexical.Stem("quya"): {"quay"}}
	for text, want := range map[string]string{
		"":                                     "",
		"brthKeeper":                           "berthKeeper",
		"KeepBrth.open":                        "KeepBerth.open",
		"MAX_BRTH":                             "MAX_BERTH",
		"assign a brth, at the quya!":          "assign a berth, at the quay!",
		"the \xff brth":                        "the \xff berth",
		"größe brth":                           "größe berth",
		"brths of brthed and brthless, breath": "berth of brthed and brthless, breath",
	} {
		if got := respell(text, instead); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestACorrectedQuestionLooksForWhatIsMeant(t *testing.T) {
	t.Parallel()
	q := Parse("brthKeeper")
	m := q.Correct(map[string][]string{"brth": {"berth", "broth"}})
	if m.Text != q.Text || m.Shape != Name || m.Symbol == nil || m.Symbol.Name != "berthKeeper" {
		t.Errorf("%q is %s, %+v", m.Text, m.Shape, m.Symbol)
	}
	for _, name := range []code.Term{
		lexical.Name("berthkeeper"), lexical.FileName("berthkeeper"), lexical.Name("broth"),
	} {
		if !slices.Contains(m.Names, name) {
			t.Errorf("%q is not looked up", name.Text)
		}
	}
	weight := func(m *Query, word string) float64 {
		i := slices.Index(m.Words, lexical.Word(lexical.Stem(word)))
		if i < 0 {
			return 0
		}
		return m.words[i].weight
	}
	if b, k, w := weight(m, "berth"), weight(m, "broth"), weight(m, "keeper"); b != mendedWeight || k != secondWeight ||
		w != 1 || len(m.Words) != len(m.words) {
		t.Errorf("weights %v, %v and %v of %v", b, k, w, m.Words)
	}
	m = Parse("assign a brth to ships").Correct(map[string][]string{"brth": {"berth"}})
	if weight(m, "brth") == 0 || weight(m, "berth") == 0 {
		t.Errorf("what was written no longer counts: %v", m.Words)
	}
	if missing := m.Missing(code.Stats{DF: make([]int, len(m.Words))}); slices.Contains(missing, "brth") {
		t.Errorf("missing %q", missing)
	}
}

func TestWordsOfTheQuestionAloneAreMissing(t *testing.T) {
	t.Parallel()
	q := Parse("what happens when the connection drops")
	if len(q.Words) < 4 {
		t.Fatalf("no words of code for %q", q.Text)
	}
	if got, want := q.Missing(code.Stats{DF: make([]int, len(q.Words))}), []string{
		"happens", "connection", "drops",
	}; !slices.Equal(got, want) {
		t.Errorf("missing %q, want %q", got, want)
	}
}

func TestWhatIsSpeltRightIsKnown(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"cache":    true,
		"the":      true,
		"handles":  true,
		"delete":   true,
		"partiton": false,
		"zyxwvut":  false,
		"":         false,
	} {
		if Spelt(word) != want {
			t.Errorf("%q is spelt right: %v", word, !want)
		}
	}
}

func FuzzACorrectedTextKeepsItsBounds(f *testing.F) {
	f.Add("brthKeeper of the QUYA", "brth", "berth")
	f.Add("\xff_Brth\n", "b", "")
	f.Fuzz(func(t *testing.T, text, word, meant string) {
		m := Parse(text).Correct(map[string][]string{word: {meant, "quay"}})
		if len(m.Words) > maxWords || len(m.Words) != len(m.words) || len(m.Names) > maxNames {
			t.Errorf("%d words of %d, %d names", len(m.Words), len(m.words), len(m.Names))
		}
	})
}
