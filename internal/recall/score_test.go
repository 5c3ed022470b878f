package recall

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2024, 5, 15, 9, 0, 0, 0, time.UTC)

// at is an item that was saved some minutes after start.
func at(minutes int, text string) Item {
	return Item{Text: Read(text), Saved: start.Add(time.Duration(minutes) * time.Minute)}
}

// best is the first word that counts of the items found, best first.
func best(question string, texts map[string]Item) string {
	var names []string
	var items []Item
	for n := range texts {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		items = append(items, texts[n])
	}
	scores := Score(question, start.AddDate(0, 0, 1), items)
	order := []int{}
	for i := range names {
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] > scores[b] {
			return -1
		}
		return 1
	})
	var found []string
	for _, i := range order {
		found = append(found, names[i])
	}
	return strings.Join(found, " ")
}

func TestScorePutsTheAnswerFirst(t *testing.T) {
	t.Parallel()
	hour := 60
	withAgent := func(it Item, agent string) Item { it.Agent = agent; return it }
	withCosine := func(it Item, c float64) Item { it.Cosine = c; return it }
	for _, tt := range []struct {
		name, question string
		items          map[string]Item
		want           string
	}{
		{"rare words before common ones", "gate of the lagoon", map[string]Item{"a": at(0, "the gate is of oak"),
			"b": at(100, "a lagoon in the north"), "c": at(200, "the gate is of iron"),
			"d": at(300, "nothing of it")}, "b a c d"},
		{"stop words count little", "what is the gate for",
			map[string]Item{"a": at(0, "what is the weather for"), "b": at(100, "one gate")}, "b a"},
		{"irregular forms meet", "did we choose the crane",
			map[string]Item{"a": at(0, "chose it for its price"), "b": at(100, "sold for its price")}, "a"},
		{"nothing in common is not found", "kubernetes",
			map[string]Item{"a": at(0, "the gate"), "b": withCosine(at(100, "the crane"), .2)}, ""},
		{"meaning alone is found", "kubernetes",
			map[string]Item{"a": at(0, "the gate"), "b": withCosine(at(100, "the scheduler"), .5)}, "b"},
		{"a cosine that is no number counts nothing", "gate",
			map[string]Item{"a": withCosine(at(0, "the gate"), math.NaN()),
				"b": withCosine(at(9, "the crane"), math.NaN())}, "a"},
		{"the speaker who is named", "what does Ben like to eat",
			map[string]Item{"a": at(0, "Ann: I like to eat plums"), "b": at(hour, "Ben: I like to eat bread")}, "b a"},
		{"a name is not what was said to it", "what does Ben like",
			map[string]Item{"a": at(0, "Ann: Ben, Ben, listen, Ben"), "b": at(hour, "Ben: I like bread")}, "b a"},
		{"a name that is cut short", "what does Mel like",
			map[string]Item{"a": at(0, "Ann: I like plums"), "b": at(hour, "Melody: I like bread")}, "b a"},
		{"the agent who is named", "what did scribe-2 note about the gate",
			map[string]Item{"a": withAgent(at(0, "the gate is open"), "scribe-1"),
				"b": withAgent(at(hour, "the gate is shut"), "scribe-2")}, "b a"},
		{"an answer before its question", "where was the festival",
			map[string]Item{"a": at(0, "Ann: Where was the festival?"), "b": at(1, "Ben: Close to an old mill."),
				"c": at(5*hour, "Ann: bread is baked")}, "b a"},
		{"no neighbours in another session", "where was the festival",
			map[string]Item{"a": at(0, "Ann: Where was the festival?"), "b": at(2*hour, "Ben: Close to an old mill.")},
			"a"},
		{"sessions go by the dates that texts tell", "where was the festival",
			map[string]Item{"a": at(0, "Ann (8 May 2024): Where was the festival?"),
				"b": at(1, "Ben (9 May 2024): Close to an old mill.")}, "a"},
		{"notes have no neighbours", "where was the festival",
			map[string]Item{"a": at(0, "the festival was by the sea"), "b": at(1, "bread is baked at night")}, "a"},
		{"a question for a time prefers what tells one", "when was the launch",
			map[string]Item{"a": at(0, "the launch was loud"), "b": at(hour, "the launch was in 2021")}, "b a"},
		{"the time that a question names", "what about the gate yesterday",
			map[string]Item{"a": at(-3*24*hour, "the gate is open"), "b": at(0, "the gate is shut")}, "b a"},
		{"the time alone is enough", "what happened yesterday",
			map[string]Item{"a": at(-3*24*hour, "bread was baked"), "b": at(0, "rain came")}, "b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := best(tt.question, tt.items); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.question, got, tt.want)
			}
		})
	}
}

func TestOrderDoesNotDependOnTheOrderGiven(t *testing.T) {
	t.Parallel()
	items := many(60)
	for i := range items {
		items[i].Saved = start.Add(time.Duration(i) * time.Minute)
	}
	want := Score("when did Ann weigh the cargo of the ferry?", start, items)
	slices.Reverse(items)
	got := Score("when did Ann weigh the cargo of the ferry?", start, items)
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNoItemsAndNoWordsGiveNothing(t *testing.T) {
	t.Parallel()
	if s := Score("gate", start, nil); len(s) != 0 {
		t.Error(s)
	}
	if s := Score("", start, many(2)[:1]); s[0] != 0 {
		t.Error(s)
	}
}

func TestLongQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	items := many(50)
	cost := func(n int) float64 {
		var q strings.Builder
		for i := range n {
			q.WriteString(strings.Repeat("x", i%7+2) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) +
				string(rune('a'+i/676%26)) + " ")
		}
		o := newTimeline(items)
		terms, _ := o.readQuestion(q.String())
		return float64(len(terms))
	}
	if few, many := cost(2000), cost(8000); few != maxWords || many != maxWords {
		t.Errorf("%v and %v words of a question count, want %d", few, many, maxWords)
	}
}
