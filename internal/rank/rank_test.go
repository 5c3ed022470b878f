package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

// file is a candidate of one chunk a list of words; "Name:kind" words are definitions too.
func file(path code.Path, chunks ...[]string) *code.File {
	f := &code.File{Path: path}
	line := 1
	for _, words := range chunks {
		a := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: line, End: line + 9}}}
		at := make(map[string]int)
		for _, w := range words {
			lexical.Words(w, func(word string) {
				i, ok := at[word]
				if !ok {
					i = len(a.Terms)
					at[word] = i
					a.Terms = append(a.Terms, code.TermFreq{Term: lexical.Word(word)})
				}
				a.Terms[i].TF[code.Body]++
				a.Lens[code.Body]++
			})
		}
		f.Chunks = append(f.Chunks, a)
		line += 10
	}
	return f
}

func define(f *code.File, chunk int, name string, kind code.Kind) *code.File {
	c := &f.Chunks[chunk]
	c.Symbols = append(c.Symbols, code.Symbol{Name: name, Kind: kind, Line: c.Span.Start, End: c.Span.End})
	return f
}

// score ranks files that are the whole collection.
func score(t *testing.T, question string, files ...*code.File) []Scored {
	t.Helper()
	q := Parse(question)
	stats, in := candidates(t, q, files...)
	return Score(q, stats, in)
}

// candidates are files that are the whole collection, and what the collection counts.
func candidates(t *testing.T, q *Query, files ...*code.File) (code.Stats, []File) {
	t.Helper()
	ids := q.Lookups()
	stats := code.Stats{Files: len(files), DF: make([]int, len(q.Words))}
	var in []File
	for _, f := range files {
		packed := blob.EncodeFeatures(f)
		feats, err := blob.LookupFeatures(packed, ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range feats.Chunks {
			stats.Chunks++
			for k, n := range c.Lens {
				stats.Lens[k] += int64(n)
			}
			for _, p := range c.Postings {
				if p.Term < len(stats.DF) {
					stats.DF[p.Term]++
				}
			}
		}
		in = append(in, File{Path: f.Path, Features: feats, Blob: string(packed)})
	}
	return stats, in
}

func TestTheDefinitionOfAnAskedNameComesFirstAndIsCertain(t *testing.T) {
	t.Parallel()
	got := score(t, "AssignBerth",
		file("a.go", []string{"AssignBerth", "AssignBerth", "AssignBerth", "quay"}),
		define(file("b.go", []string{"other"}, []string{"AssignBerth", "long", "body", "of", "code"}), 1, "AssignBerth",
			code.KindFunc),
		file("c.go", []string{"assign", "berth"}))
	if got[0].File != 1 || got[0].Chunk != 1 || got[0].Relevance != 1 || got[0].Symbol.Name != "AssignBerth" {
		t.Errorf("first is %+v, want chunk 1 of b.go with relevance 1", got[0])
	}
	if got[1].Relevance == 1 && got[2].Relevance == 1 {
		t.Error("only the definition is certain")
	}
}

func TestRelevanceTellsAnAnswerFromNone(t *testing.T) {
	t.Parallel()
	files := []*code.File{file("a.py", []string{"harbour", "log"}), file("b.py", []string{"harbour"}),
		file("c.py", []string{"fish"})}
	for question, want := range map[string]func(r float64) bool{
		"harbour log":                       func(r float64) bool { return r > .3 && r <= 1 },
		"harbour zyxwvut qqqplumbus wobble": func(r float64) bool { return r > 0 && r < .3 },
		"zyxwvut wobble":                    func(r float64) bool { return r == 0 },
		"zyxwvut":                           func(r float64) bool { return r == 0 },
		"harbour":                           func(r float64) bool { return r >= .3 && r < .85 },
		"the of and":                        func(r float64) bool { return r == 0 },
		"":                                  func(r float64) bool { return r == 0 },
	} {
		got := score(t, question, files...)
		if !want(got[0].Relevance) {
			t.Errorf("relevance of the first for %q is %v", question, got[0].Relevance)
		}
		for i := range got[1:] {
			if got[i+1].Relevance > got[i].Relevance && Parse(question).Symbol == nil {
				t.Errorf("%q: relevance grows down the order: %v after %v", question, got[i+1].Relevance,
					got[i].Relevance)
			}
		}
	}
}

func TestAScoreIsTheSumOfItsContributions(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"queue worker retries", "Queue"} {
		for _, x := range score(t, question,
			define(file("queue/worker.go", []string{"queue", "worker", "retry"}), 0, "Queue", code.KindType),
			file("doc/other.md", []string{"worker"})) {
			sum := 0.0
			for _, c := range x.Explanation {
				sum += c.Value * c.Weight
			}
			if math.Abs(sum-x.Score) > 1e-3 {
				t.Errorf("%q: contributions add up to %v, the score is %v", question, sum, x.Score)
			}
		}
	}
}

func TestAStemThatIsTheQuestionWins(t *testing.T) {
	t.Parallel()
	got := score(t, "file system watcher", file("internal/fswatch/file_system_watcher.go", []string{"notify"}),
		file("a/b.go", []string{"notify"}))
	if got[0].File != 0 || got[0].Score <= got[1].Score {
		t.Errorf("order %+v", got)
	}
}

func TestSymbolQuestionsAreRecognised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*Symbol{
		"AssignBerth":     {Name: "AssignBerth"},
		"take_next_pilot": {Name: "take_next_pilot"},
		"Server::run":     {Name: "run", Qualifier: "Server"},
		"a.b.c()":         {Name: "c", Qualifier: "b"},
		`App\Http\Kernel`: {Name: "Kernel", Qualifier: "Http"},
		"Foo#bar?":        {Name: "bar", Qualifier: "Foo"},
		"->x":             nil,
		"two words":       nil,
		"":                nil,
		"@kind:{go}":      nil,
	} {
		got := Parse(text).Symbol
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("Parse(%q).Symbol = %+v, want %+v", text, got, want)
		}
	}
}

func TestAnyTextIsAQuestionOfBoundedSize(t *testing.T) {
	t.Parallel()
	var long []byte
	for i := range 200_000 {
		long = append(long, byte('a'+i%26))
		if i%7 == 6 {
			long = append(long, ' ')
		}
	}
	for _, text := range []string{
		"", "?", "=>[KNN 5 @v $b]", "\xff\xfe", "日本語 の 検索", string(long), "x" + string(long[:7]),
	} {
		q := Parse(text)
		if len(q.Words) > maxWords || len(q.Names) > maxNames {
			t.Errorf("%.20q: %d words, %d names", text, len(q.Words), len(q.Names))
		}
	}
}

func TestTiesAreBrokenByPath(t *testing.T) {
	t.Parallel()
	got := score(t, "worker", file("b.go", []string{"worker"}), file("a.go", []string{"worker"}),
		file("c.go", []string{"worker"}))
	order := []int{got[0].File, got[1].File, got[2].File}
	if !slices.Equal(order, []int{1, 0, 2}) {
		t.Errorf("order %v, want a.go, b.go, c.go", order)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"where is AssignBerth::run handled?",
		"what happens when the loop shuts down at most once", "Kill only the slow crane", "retry token bucket",
		"fix v3 of parse_v2 using Foo", "net/http: keepalive", "\xff\xfe ?", "日本語 の 検索"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := Parse(text)
		if len(q.Words) != len(q.words) || len(q.Words) > maxWords || len(q.Names) > maxNames ||
			len(q.pairs) > maxPairs || len(q.idents) != len(q.asides) {
			t.Fatalf("%d words with %d weights, %d names, %d pairs, %d identifiers of which %d are read", len(q.Words),
				len(q.words), len(q.Names), len(q.pairs), len(q.idents), len(q.asides))
		}
	})
}
