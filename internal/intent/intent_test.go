package intent

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGreetingsAreTold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"hello", "Hi!", "hey there", "Good morning!", "hi, how are you?", "Hello Claude",
		"heyyy", "helloooo", "Thanks!", "thank you so much",
		"hola", "Bonjour !", "Guten Morgen", "こんにちは", "你好！", "Привет!", "안녕하세요", "नमस्ते", "مرحبا", "olá",
		"¡Hola! ¿Qué tal?", "hi 👋", "good evening everyone", "bye", "What's up?", "hey, how's it going today?"} {
		if s := Classify(text); !s.Greeting || s.Frame != Conversation || s.Question {
			t.Errorf("Classify(%q) = %+v, want a greeting", text, s)
		}
	}
	for _, text := range []string{"", "hi, why does login fail", "hello world", "hello main.go", "hey parser", "hi `x`",
		"good", "hey, fix the build", "Hi team, please review src/a.go", "ok", "yes",
		"hello\n```go\nx\n```", "thanks, now add tests", "hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi"} {
		if s := Classify(text); s.Greeting {
			t.Errorf("Classify(%q) is a greeting", text)
		}
	}
}

func TestQuestionsAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"What is the default timeout?":                    true,
		"how does the queue coalesce":                     true,
		"Is it safe":                                      true,
		"The queue coalesces, right?":                     true,
		"Can you add a flag?":                             true,
		"any idea where this lives":                       true,
		"¿Dónde está la configuración?":                   true,
		"Add a flag.":                                     false,
		"Open https://example.com/?q=1 and read it.":      false,
		"Replace `a ? b : c` in the parser.":              false,
		"Use the form x ? y : z in it.":                   false,
		"Say what it does when the disk is full.":         false,
		"I think the queue is fine.":                      false,
		"hi, could you explain how ranking works please?": true,
	} {
		if s := Classify(text); s.Question != want {
			t.Errorf("Classify(%q).Question = %v (%+v)", text, s.Question, s)
		}
	}
}

func TestRecencyFollowsThePublishedPhrases(t *testing.T) {
	t.Parallel()
	for phrase, want := range map[string]float64{"today": 1, "just now": 1, "right now": 1, "currently": 1,
		"yesterday": .8, "recently": .8, "this week": .8,
		"last week": .5, "few days ago": .5, "a few days ago": .5, "last month": .3, "a while ago": .3, "": 0} {
		if s := Classify("We changed the parser " + phrase); s.Recency != want {
			t.Errorf("%q has recency %v, want %v", phrase, s.Recency, want)
		}
	}
	if s := Classify("What did we do last month, last week and today?"); s.Recency != 1 {
		t.Errorf("the most recent of three is %v", s.Recency)
	}
}

func TestHintsAddHalfAPointForEachPhrase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want map[Memory]float64
	}{
		{"We decided on Redis.", map[Memory]float64{Decisions: .5}},
		{"We decided on Redis, what is the rationale?", map[Memory]float64{Decisions: 1}},
		{"Decided, decided, decided.", map[Memory]float64{Decisions: .5}},
		{"How do I run the tests?", map[Memory]float64{Procedures: .5}},
		{"Which version of Go?", map[Memory]float64{Facts: 1}},
		{"What happened yesterday?", map[Memory]float64{Episodes: 1}},
		{"The parser is written in Go.", nil},
	} {
		if s := Classify(c.text); !maps.Equal(s.Hints, c.want) {
			t.Errorf("Classify(%q).Hints = %v, want %v", c.text, s.Hints, c.want)
		}
	}
}

func TestFramesAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Frame{
		"Add pagination to the users endpoint":               Task,
		"Please rename Foo to Bar":                           Task,
		"can you write a test for the parser?":               Task,
		"I want to extract the retry loop into a package":    Task,
		"We need to migrate the schema":                      Task,
		"refactor the session store, keep the tests green":   Task,
		"Implement JWT auth in src/auth.py:42":               Task,
		"What is the default port?":                          Question,
		"How does the ranking work":                          Question,
		"Explain the worker":                                 Question,
		"Where is the config parsed?":                        Question,
		"Should we use Redis or SQLite for the queue?":       Decision,
		"Which library would be better, cobra or kong?":      Decision,
		"pros and cons of event sourcing":                    Decision,
		"Let's decide between gRPC and REST":                 Decision,
		"What would you recommend for caching?":              Decision,
		"Brainstorm names for the tool":                      Creative,
		"Write a short poem about garbage collection":        Creative,
		"Come up with ideas for the landing page":            Creative,
		"The server crashes on start":                        Debug,
		"why does the login test fail?":                      Debug,
		"Fix the crash in the parser":                        Debug,
		"Login doesn't work any more":                        Debug,
		"I get a null pointer when saving":                   Debug,
		"Investigate the flaky timeout":                      Debug,
		"I like the new layout":                              Conversation,
		"sounds good, thanks":                                Conversation,
		"":                                                   Conversation,
		"What are you working on?":                           Question,
		"add retries so that the build is no longer failing": Task,
	} {
		if s := Classify(text); s.Frame != want {
			t.Errorf("Classify(%q).Frame = %s, want %s", text, s.Frame, want)
		}
	}
}

func TestFramesOfWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	wrong, all := wrongFrames(t, "testdata/frames.txt")
	if all < 250 || wrong*20 > all { // 5 %
		t.Errorf("%d of %d frames are wrong", wrong, all)
	}
}

func TestFramesOfUnseenMessages(t *testing.T) {
	t.Parallel()
	wrong, all := wrongFrames(t, "testdata/unseen.txt")
	if all < 200 || wrong*10 > 3*all { // 30 %
		t.Errorf("%d of %d frames are wrong", wrong, all)
	}
}

// wrongFrames classifies the messages of a file, a line each: the frame, a tab, the text.
func wrongFrames(t *testing.T, path string) (wrong, all int) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		want, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		if _, err := ParseFrame(want); err != nil {
			t.Fatal(err)
		}
		all++
		if s := Classify(text); s.Frame != Frame(want) {
			wrong++
			t.Logf("Classify(%q).Frame = %s, not %s", text, s.Frame, want)
		}
	}
	return wrong, all
}

func TestEntitiesAndTopics(t *testing.T) {
	t.Parallel()
	s := Classify("Yesterday Alice Smith moved parseHTTP from `os.Open` callers in src/foo/bar.py:42 to load_file(path, mode), see ABC-12 and Postgres. The parser and the parser cache: see https://example.com/FooBar")
	want := []Entity{{Name, "Alice Smith"}, {Identifier, "parseHTTP"}, {Identifier, "os.Open"},
		{Identifier, "load_file"}, {Identifier, "ABC-12"}, {Name, "Postgres"}, {File, "src/foo/bar.py"}}
	if !slices.Equal(s.Entities, want) {
		t.Errorf("entities %v\nwant %v", s.Entities, want)
	}
	if s.Topics[0] != "parser" || slices.Contains(s.Topics, "the") || slices.Contains(s.Topics, "yesterday") ||
		slices.Contains(s.Topics, "bar") {
		t.Errorf("topics %v", s.Topics)
	}
	many := Classify("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima")
	if len(many.Topics) != MaxTopics {
		t.Errorf("%d topics", len(many.Topics))
	}
}

func TestCasesThatPlainPatternsMiss(t *testing.T) {
	t.Parallel()
	trace := func(text string) {
		t.Helper()
		if s := Classify("Look at this:\n" + text + "\n"); s.Frame != Debug {
			t.Errorf("%q is %s, want debug: a trace", text, s.Frame)
		}
	}
	for _, text := range []string{
		"panic: runtime error\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d",
		"Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: x",
		"java.lang.IllegalStateException: no\n\tat a.b.C.d(C.java:12)",
		"TypeError: x is not a function\n    at f (/app/a.js:1:2)",
		"System.ArgumentException: bad\n   at A.B() in /src/a.cs:line 12",
		"thread 'main' panicked at src/main.rs:2:5:", "error[E0382]: borrow of moved value",
		"#0  0x00007f in f ()\n#1  main () at a.c:3", "a.rb:12:in `f'", "PHP Fatal error: x",
		"internal/a.go:12:5: undefined: y", "a.c:3:1: error: expected", "src/a.ts(12,5): error TS2304: no name",
		"--- FAIL: TestX (0.00s)", "FAILED tests/a.py::test_b",
	} {
		trace(text)
	}
	for _, c := range []struct {
		why, text string
		ok        func(Signals) bool
	}{
		{"greeting before a request", "hi, why does login fail", func(s Signals) bool {
			return s.Frame == Debug && s.Question && !s.Greeting
		}},
		{"greeting before a task", "Hello Claude, add a flag", func(s Signals) bool { return s.Frame == Task }},
		{"typos", "what did we decied yesturday", func(s Signals) bool {
			return s.Frame == Question && s.Hints[Decisions] > 0 && s.Recency == .8
		}},
		{"typos in a task", "pleaes implment the cache", func(s Signals) bool { return s.Frame == Task }},
		{"apostrophes", "login doesnt work", func(s Signals) bool { return s.Frame == Debug }},
		{"typographic apostrophes", "login doesn’t work", func(s Signals) bool { return s.Frame == Debug }},
		{"inline code", "That line `today := fix(bug)` is odd", func(s Signals) bool {
			return s.Frame == Conversation && s.Recency == 0
		}},
		{"fenced code", "What does this do?\n```\n// error: fix today\n```", func(s Signals) bool {
			return s.Frame == Question && s.Recency == 0
		}},
		{"bare code", "What does this do?\nif err != nil { return today }", func(s Signals) bool {
			return s.Frame == Question && s.Recency == 0
		}},
		{"paths", "Explain src/errors/crash.go", func(s Signals) bool { return s.Frame == Question }},
		{"URLs", "Explain https://example.com/bug/today?x=fix", func(s Signals) bool {
			return s.Frame == Question && s.Recency == 0
		}},
		{"identifiers", "Explain fix_bug and CrashError", func(s Signals) bool { return s.Frame == Question }},
		{"negated task", "don't fix it, just explain", func(s Signals) bool { return s.Frame == Question }},
		{"negated defect", "this is not a bug", func(s Signals) bool { return s.Frame == Conversation }},
		{"negated time", "not today", func(s Signals) bool { return s.Recency == 0 }},
		{"how do I", "How do I add a new endpoint?", func(s Signals) bool {
			return s.Frame == Question && s.Dominant() == Procedures
		}},
		{"how to", "how to deploy the service", func(s Signals) bool {
			return s.Frame == Question && s.Dominant() == Procedures
		}},
		{"can you", "can you add a flag?", func(s Signals) bool { return s.Frame == Task && s.Question }},
		{"a decision made", "why did we choose Redis?", func(s Signals) bool {
			return s.Frame == Question && s.Dominant() == Decisions
		}},
		{"a decision to make", "should we go with A or B", func(s Signals) bool { return s.Frame == Decision }},
		{"error handling", "Add error handling to the parser", func(s Signals) bool { return s.Frame == Task }},
		{"error message", "What is the error message for a bad port?", func(s Signals) bool {
			return s.Frame == Question
		}},
		{"bug tracker", "Where is the bug tracker?", func(s Signals) bool { return s.Frame == Question }},
		{"decision tree", "Implement a decision tree", func(s Signals) bool {
			return s.Frame == Task && s.Hints[Decisions] == 0
		}},
		{"test coverage", "What is the test coverage?", func(s Signals) bool { return s.Frame == Question }},
		{"other words of time", "We changed it this morning", func(s Signals) bool { return s.Recency == 1 }},
		{"hours", "the deploy an hour ago", func(s Signals) bool { return s.Recency == 1 }},
		{"days", "the deploy two days ago", func(s Signals) bool { return s.Recency == .5 }},
		{"months", "the deploy 3 months ago", func(s Signals) bool { return s.Recency == .3 }},
		{"a request behind a long paste", strings.Repeat("the quick brown fox is here and there. ", 2000) +
			"\nPlease rename the fox.", func(s Signals) bool { return s.Frame == Task }},
		{"a sentence over two lines", "what changed in the parser last\nweek", func(s Signals) bool {
			return s.Recency == .5
		}},
		{"a bullet", "- [ ] fix the docs", func(s Signals) bool { return s.Frame == Task }},
		{"a commit subject", "parser: add a cache", func(s Signals) bool { return s.Frame == Task }},
	} {
		if s := Classify(c.text); !c.ok(s) {
			t.Errorf("%s: Classify(%.80q) = %+v", c.why, c.text, s)
		}
	}
}

func TestPlansHaveThePublishedNumbers(t *testing.T) {
	t.Parallel()
	for frame, want := range map[Frame][2]int{
		Conversation: {3000, 3},
		Question:     {6000, 5},
		Task:         {8000, 5},
		Decision:     {12000, 8},
		Creative:     {6000, 4},
		Debug:        {10000, 6},
	} {
		p, err := PlanFor(Signals{Frame: frame}, "")
		if err != nil || p.TotalBudget != want[0] || p.Turns != want[1] || !p.Dedup {
			t.Errorf("plan of %s = %+v (%v), want %v", frame, p, err, want)
		}
	}
	talk, _ := PlanFor(Signals{}, Conversation)
	if want := map[Memory]int{Decisions: 500, Facts: 500, Procedures: 0, Episodes: 0}; !maps.Equal(talk.Budgets, want) {
		t.Errorf("budgets of a conversation %v", talk.Budgets)
	}
	if want := []Memory{Procedures, Episodes}; !slices.Equal(talk.Skip, want) || len(talk.Queries) != 2 {
		t.Errorf("a conversation skips %v and asks %v", talk.Skip, talk.Queries)
	}
	choice, _ := PlanFor(Signals{}, Decision)
	if want := map[Memory]int{Decisions: 3500, Procedures: 2000}; !maps.Equal(choice.Budgets, want) {
		t.Errorf("budgets of a decision %v", choice.Budgets)
	}
}

func TestPlanAsksMoreOfTheDominantType(t *testing.T) {
	t.Parallel()
	limits := func(s Signals) string {
		p, err := PlanFor(s, Task)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, q := range p.Queries {
			out += string("0123456789"[q.Limit])
			if q.Text != s.Text || q.RecencyWeight != s.Recency {
				t.Errorf("query %+v", q)
			}
		}
		return out
	}
	for want, hints := range map[string]map[Memory]float64{
		"5555": nil,
		"8333": {Decisions: .5},
		"3833": {Facts: 1, Decisions: .5},
		"3338": {Episodes: 2},
	} {
		if got := limits(Signals{Hints: hints, Text: "x", Recency: .8}); got != want {
			t.Errorf("limits with %v are %s, want %s", hints, got, want)
		}
	}
	if got := limits(Signals{Hints: map[Memory]float64{Facts: .5, Decisions: .5}}); got != "5555" {
		t.Errorf("limits of a draw are %s", got)
	}
}

func TestGreetingRetrievesNothing(t *testing.T) {
	t.Parallel()
	for _, frame := range append([]Frame{""}, Frames...) {
		p, err := PlanFor(Classify("Hello!"), frame)
		if err != nil || len(p.Queries) != 0 || !slices.Equal(p.Skip, Memories) || p.TotalBudget != 0 ||
			len(p.Budgets) != 4 || p.MaxPerType != 0 {
			t.Errorf("plan of a greeting in frame %q: %+v (%v)", frame, p, err)
		}
		for m, tokens := range p.Budgets {
			if tokens != 0 {
				t.Errorf("%s has a budget of %d", m, tokens)
			}
		}
	}
}

func TestUnknownFrameListsTheKnown(t *testing.T) {
	t.Parallel()
	_, err := PlanFor(Signals{}, "poetry")
	if err == nil || !strings.Contains(err.Error(), `frame "poetry" is unknown`) ||
		!strings.Contains(err.Error(), "debug") {
		t.Errorf("error %v", err)
	}
}

func TestPatternsAreCheckedWhenRead(t *testing.T) {
	t.Parallel()
	if d, err := load(patterns); err != nil || len(d.names) < 500 || len(d.stop) < 100 || len(d.ext) < 100 {
		t.Fatalf("patterns.txt is not whole: %v", err)
	}
	for _, bad := range []string{
		"[debug 9]\nx", "[nonsense]\nx", "[recency 2]\nx", "[ask]\n_ x", "[ask]\nx?", "[ask]\nBig", "[ask]\n@none",
		"[hint dream]\nx", "[ask]\ndon't",
	} {
		if _, err := load(bad); err == nil {
			t.Errorf("load(%q) is no error", bad)
		}
	}
}

func TestSameTextGivesTheSameSignals(t *testing.T) {
	t.Parallel()
	text := "Why did we choose Redis yesterday? Fix parseURL in src/a.go:3, then brainstorm."
	first := Classify(text)
	for range 50 {
		if !reflect.DeepEqual(Classify(text), first) {
			t.Fatal("signals differ")
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{
		"hi", "why does `x` fail?", "```\ncode\n```", "a.go:1:2: error", "\t\x80x", "what’s ‘this’", "::a.b.c(",
		"A-1 ABC-12", "www.x y@z", "¿?", "_", "(", "#1", "==",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Classify(text)
		if !slices.Contains(Frames, s.Frame) || len(s.Topics) > MaxTopics || len(s.Entities) > MaxEntities ||
			len(s.Text) > MaxQuery || s.Recency < 0 || s.Recency > 1 {
			t.Fatalf("Classify(%q) = %+v", text, s)
		}
		if !utf8.ValidString(s.Text) {
			t.Fatalf("Classify(%q).Text is no UTF-8: %q", text, s.Text)
		}
		for _, e := range s.Entities {
			if e.Text == "" || !utf8.ValidString(e.Text) {
				t.Fatalf("Classify(%q) has entity %+q", text, e)
			}
		}
		if _, err := PlanFor(s, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	short := "Fix the crash in parseURL when src/foo/bar.py:42 gets an empty query; we decided yesterday to return an error."
	prose := strings.Repeat(
		"The handler reads every recently changed module and builts a tabel of symbols for the next question. ", 200)
	trace := strings.Repeat("\tat org.example.service.UserController.find(UserController.java:118)\n", 200)
	code := strings.Repeat("    if (user.getName() == null) { throw new IllegalStateException(\"x\"); }\n", 200)
	for name, text := range map[string]string{"task": short, "prose-8k": prose, "trace-8k": trace, "code-8k": code} {
		b.Run(name, func(b *testing.B) {
			Classify(text)
			b.ReportAllocs()
			for b.Loop() {
				s := Classify(text)
				if _, err := PlanFor(s, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load(patterns); err != nil {
			b.Fatal(err)
		}
	}
}
