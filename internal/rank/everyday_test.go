package rank

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestEverydayPhrasesBringInTheWordsOfCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"what happens when the loop shuts down":     "close",
		"why does it try the upload again":          "retry",
		"where are long names cut":                  "truncate",
		"what happens if a caption doesn't fit":     "overflow truncate clip",
		"how is a berth looked up by its name":      "resolve",
		"Kill only the slow crane when a tide ends": "cancel abort terminate",
	} {
		q := Parse(text)
		if !slices.ContainsFunc(strings.Fields(want), func(w string) bool {
			_, ok := q.byStem[lexical.Stem(w)]
			return ok
		}) {
			t.Errorf("%q brings %v, want one of %q", text, q.byStem, want)
		}
	}
	for _, text := range []string{
		"loop shutdown", "AssignBerth", "how the loop shuts down", "Fix parse_berth when the loop shuts down",
		"net: stop the loop when it is cut",
	} {
		for _, w := range Parse(text).words {
			if w.weight == everydayWeight && w.part != "" && !strings.Contains(strings.ToLower(text), w.part) {
				t.Errorf("%q is in the words of code, and got %q", text, w.part)
			}
		}
	}
}

func TestTheLongestEverydayPhraseCounts(t *testing.T) {
	t.Parallel()
	q := Parse("where are leases cut off")
	if _, ok := q.byStem["truncat"]; !ok {
		t.Fatalf("no word of code for %q: %v", q.Text, q.byStem)
	}
}

var update = flag.Bool("update", false, "write everyday.tsv again")

func TestTheTableOfEverydayPhrasesIsCurrent(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	phrases := everydayPhrases(t, string(raw))
	var b strings.Builder
	b.WriteString("# Code generated from everyday.txt by go test -run TestTheTableOfEverydayPhrasesIsCurrent -update; DO NOT EDIT.\n")
	for _, phrase := range slices.Sorted(maps.Keys(phrases)) {
		fmt.Fprintf(&b, "%s\t%s\n", phrase, strings.Join(phrases[phrase], " "))
	}
	if *update {
		if err := os.WriteFile("everyday.tsv", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		everydayTable = b.String()
	}
	if b.String() != everydayTable {
		t.Fatal("everyday.tsv is not everyday.txt: run with -update")
	}
	for phrase, words := range phrases {
		if got := codeWords(phrase); !slices.Equal(got, words) {
			t.Errorf("%q stands for %q, want %q", phrase, got, words)
		}
	}
	for _, phrase := range []string{"", "a", "# Code", "zzz", "\t", "\n", "shut", "shut down no"} {
		if got := codeWords(phrase); got != nil {
			t.Errorf("%q stands for %q, want nothing", phrase, got)
		}
	}
}

// mostCodeWords is the number of words of code that a phrase of several lines keeps.
const mostCodeWords = 8

// everydayPhrases reads everyday.txt: by the stems of a phrase, the words of code for it.
func everydayPhrases(t *testing.T, text string) map[string][]string {
	t.Helper()
	phrases := make(map[string][]string, 1<<14)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		said, words, ok := strings.Cut(line, ":")
		if !ok || len(strings.Fields(words)) == 0 {
			t.Errorf("everyday.txt: %q stands for nothing", line)
		}
		for phrase := range strings.SplitSeq(said, ",") {
			stems := strings.Fields(phrase)
			for i, w := range stems {
				stems[i] = lexical.Stem(w)
			}
			if len(stems) == 0 || len(stems) > longestPhrase {
				t.Errorf("everyday.txt: phrase %q of %d words, want 1 to %d", phrase, len(stems), longestPhrase)
			}
			key := strings.Join(stems, " ")
			for _, w := range strings.Fields(words) {
				if len(phrases[key]) < mostCodeWords && !slices.Contains(phrases[key], w) {
					phrases[key] = append(phrases[key], w)
				}
			}
		}
	}
	return phrases
}

func TestAQuestionOfManyPhrasesStaysBounded(t *testing.T) {
	t.Parallel()
	q := Parse("what stops, shuts down, gets cut off, is thrown away and kept " +
		strings.Repeat("again and again ", 10) + "too often too late too deep too big at once on demand")
	if len(q.Words) > maxWords || len(q.pairs) > maxPairs {
		t.Errorf("%d words and %d pairs", len(q.Words), len(q.pairs))
	}
}

func TestAdjacentWordsAreFoundAsOneName(t *testing.T) {
	t.Parallel()
	q := Parse("content hashes of the berth")
	value := func(body ...string) float64 {
		f := file("a/lock.go", body)
		feats, err := blob.LookupFeatures(blob.EncodeFeatures(f), q.Lookups())
		if err != nil {
			t.Fatal(err)
		}
		stats := code.Stats{Files: 40, Chunks: 100, DF: []int{5, 5, 5, 5},
			Lens: [code.NumFields]int64{4000, 400, 400, 400}}
		for _, c := range Score(q, stats, []File{{Path: "a/lock.go", Features: feats}})[0].Explanation {
			if c.Feature == "pairs" {
				return c.Value
			}
		}
		return 0
	}
	if value("contentHash", "berth") <= 0 || value("hash_content") <= 0 || value("content", "hash", "berth") != 0 {
		t.Errorf("pairs: %v as one name, %v the other way round, %v apart", value("contentHash", "berth"),
			value("hash_content"), value("content", "hash", "berth"))
	}
}

func TestTheDirectionOfAQuestionTellsReadersFromWriters(t *testing.T) {
	t.Parallel()
	text := map[string][]string{
		"reader": {"read", "parse", "document", "block", "text"},
		"writer": {"write", "render", "document", "block", "text"},
	}
	for _, layout := range []string{"formats/%s_%s.py", "formats/%[2]ss/%[1]s.hs"} {
		var files []*code.File
		for _, format := range []string{"quipu", "ogham", "runes"} {
			for _, way := range []string{"writer", "reader"} {
				if strings.Contains(format, "quipu") {
					// neither is favoured by its place
					way = map[string]string{"writer": "reader", "reader": "writer"}[way]
				}
				files = append(files, file(fmt.Sprintf(layout, format, way),
					append([]string{format, way}, text[way]...)))
			}
		}
		files = append(files, file("formats/document.py", []string{"document", "block"}),
			file("formats/text.py", []string{"text"}))
		for question, want := range map[string]string{
			"how is quipu read":                                 "quipu reader",
			"what reads ogham":                                  "ogham reader",
			"where are blocks parsed from runes":                "runes reader",
			"how is a document converted from runes":            "runes reader",
			"how is a document converted to quipu":              "quipu writer",
			"where is a document written as ogham":              "ogham writer",
			"how does a document get exported to runes":         "runes writer",
			"Fix the blocks that are converted to ogham":        "ogham writer",
			"Fix the blocks that are imported from ogham":       "ogham reader",
			"why is the text lost that is converted from quipu": "quipu reader",
		} {
			format, way, _ := strings.Cut(want, " ")
			if first := files[score(t, question, files...)[0].File].Path; first != fmt.Sprintf(layout, format, way) {
				t.Errorf("%q: %s is first, want the %s of %s", question, first, way, format)
			}
		}
	}
}
