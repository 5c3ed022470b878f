package rank

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/costtest"
)

func TestQuotesAreFoundWordByWord(t *testing.T) {
	t.Parallel()
	source := strings.Split(`package quay

func moor(ship string, berth int) error {
	if berth > last {
		return fmt.Errorf("moor %q: berth %d lies behind the last of the quay", ship, berth)
	}
	// the tide must be high enough before a ship may leave
	return errors.New("the harbour master has closed " +
		"every berth until the storm is over")
}`, "\n")
	for text, want := range map[string]int{
		"berth 12 lies behind the last of the quay":                                     5,
		`moor "Ada": berth 12 lies behind the last of the quay`:                         5,
		"MOOR ada: BERTH 12 lies behind the LAST of the quay":                           5,
		"2031-04-02 error moor Ada berth 12 lies behind the last of the quay":           5,
		"the harbour master has closed every berth until the storm is over":             8,
		"why do I see `the harbour master has closed every berth` in the log?":          8,
		"it fails\nmoor Ada: berth 12 lies behind the last of the quay\nand then stops": 5,
		"the tide must be high enough":                                                  7,
		// not a quote
		"closed berth": 0, // too short
		"moor a ship at a berth behind the last one of the quay": 0, // the same words, said otherwise
		"what must the tide be before a ship may leave":          0, // a question quotes nothing but whole sentences
		"the quay the last the behind lies berth":                0, // the other way round
	} {
		if at := Parse(text).Quotes().Find(source); at.First != want {
			t.Errorf("%q is found on line %d, want %d", text, at.First, want)
		}
	}
}

func TestOfTwoPlacesTheOneThatHoldsMoreOfAQuoteCounts(t *testing.T) {
	t.Parallel()
	lines := []string{"// the gate stays closed until all the ships", "",
		"// the gate stays closed until all the ships are in"}
	at := Parse("the gate stays closed until all the ships are in").Quotes().Find(lines)
	if at.First != 3 || at.Last != 3 || !at.Whole || at.Words != 10 {
		t.Errorf("found %+v, want the whole on line 3", at)
	}
}

func TestLookingForQuotesCostsAsMuchAsTheTextIsLong(t *testing.T) {
	t.Parallel()
	hostile := Parse(strings.Repeat("tide tide tide tide\n", 2*maxQuotes)).Quotes()
	find := func(n int) func() {
		lines := strings.Split(strings.Repeat(strings.Repeat("tide ", 20)+"\n", n), "\n")
		return func() { hostile.Find(lines) }
	}
	costtest.Linear(t, "quotes in 2,000 lines", 10, 0, find(2000), find(8000))
}

func TestLongQuestionsKeepFewQuotes(t *testing.T) {
	t.Parallel()
	q := Parse(strings.Repeat(strings.Repeat("a tide of words and more ", 100)+"\n", 100)).Quotes()
	if len(q.list) > maxQuotes || q.list[0].words > maxQuoteWords {
		t.Errorf("%d quotes, the first of %d words", len(q.list), q.list[0].words)
	}
}
