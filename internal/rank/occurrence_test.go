package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestMissingNamesTheWordsThatStandNowhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		known string // the words that the collection has
		want  string
	}{
		{"how does the Kafka consumer rebalance", "consumer", "kafka rebalance"},
		{"how does the Kafka consumer rebalance", "consumer kafka rebalances", ""},
		{"kafkaConsumer", "consumer", "kafka"},
		{"kafkaConsumer", "consumer kafka", ""}, // the compound alone stands nowhere
		{"isKafka", "x", "kafka"},
		{"where do ferries wait for a crane", "crane", "ferries wait"}, // not what code says for waiting
		{"the of and", "", ""},
		{"", "", ""},
	} {
		q, known := Parse(c.text), Parse(c.known)
		stats := code.Stats{Chunks: 9, DF: make([]int, len(q.Words))}
		for i, w := range q.Words {
			if slices.Contains(known.Words, w) {
				stats.DF[i] = 1
			}
		}
		if got := strings.Join(q.Missing(stats), " "); got != c.want {
			t.Errorf("%q where %q is known: %q, want %q", c.text, c.known, got, c.want)
		}
	}
	if got := Parse("kafka").Missing(code.Stats{}); len(got) > 0 {
		t.Errorf("nothing was counted, and %q is missing", got)
	}
}

func TestMarksAreTheWordsOfTheQuestionInAnyForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, text, want string }{
		{"how is a berth assigned", "func AssignBerth(quay []Berth) // assigning is not easy",
			"func [AssignBerth](quay [][Berth]) // [assigning] is not easy"},
		{"AssignBerth", "assign_berth, assignsBerths, berthed, assignBerthNow",
			"[assign_berth], [assignsBerths], [berthed], [assignBerth]Now"},
		{"isFull", "if it is full, isFull", "if it is [full], [isFull]"},
		{"grüße", "Grüße an grüße", "[Grüße] an [grüße]"},
		{"berth", strings.Repeat("berth", 30), strings.Repeat("berth", 30)},
		{"", "berth", "berth"},
	} {
		got := c.text
		for _, m := range slices.Backward(Parse(c.question).Marks(c.text)) {
			got = got[:m[0]] + "[" + got[m[0]:m[1]] + "]" + got[m[1]:]
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.question, got, c.want)
		}
	}
}

func FuzzMarksLieInTheText(f *testing.F) {
	f.Add("assignBerth now", "the berth's assign_berth\xff\n")
	f.Fuzz(func(t *testing.T, question, text string) {
		last := -1
		for _, m := range Parse(question).Marks(text) {
			if m[0] <= last || m[1] <= m[0] || m[1] > len(text) {
				t.Fatalf("%v behind %d in %q", m, last, text)
			}
			last = m[1]
		}
	})
}
