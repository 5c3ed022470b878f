package prompt

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/tokens"
)

// piecesOf are random pieces of code, some of them with text that is no ASCII.
func piecesOf(r *rand.Rand) (out []line) {
	for i := range r.Intn(15) {
		l := line{verdict: receipt.Full, part: -1}
		l.ID, l.block, l.grade = fmt.Sprint(i), true, possible+grade(r.Intn(int(toChange)))
		// the lines that a task names first take their bytes from the same budget
		l.asked = l.grade == strong && r.Intn(4) == 0
		l.Relevance = float64(r.Intn(5)) / 4
		l.Text = strings.Repeat([]string{"tide ", "größe ", "潮汐"}[r.Intn(3)], 1+r.Intn(60))
		l.Line = l.Text[:strings.IndexAny(l.Text+" ", " ")]
		if r.Intn(8) == 0 {
			l.verdict = receipt.Dropped
		}
		out = append(out, l)
	}
	return out
}

// Whatever the pieces, the bytes of the texts are within the budget, no piece is lost to it, none that fits is left a
// pointer, and equal pieces are decided on equally.
func TestTheCodeBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	counter, err := tokens.For("")
	if err != nil {
		t.Fatal(err)
	}
	r, decided := rand.New(rand.NewSource(1)), map[string]int{}
	for range 3000 {
		lines := piecesOf(r)
		j := &job{counter: counter}
		j.policy.Code.Bytes, j.policy.LikelyText = 1+r.Intn(2000), r.Intn(3) > 0
		said := .5
		if r.Intn(4) == 0 {
			j.req.InjectAt = &said
		}
		run := func() []line {
			j.choice.lines = slices.Clone(lines)
			j.spendCodeBudget()
			return j.choice.lines
		}
		got := run()
		if again := run(); !slices.EqualFunc(got, again, func(a, b line) bool {
			return a.verdict == b.verdict && a.reason == b.reason
		}) {
			t.Fatal("the same pieces were decided on in two ways")
		}
		sum, least := 0, 1<<20 // least is the shortest text that found no room
		for i := range got {
			l := &got[i]
			if lines[i].verdict == receipt.Dropped {
				continue
			}
			decided[l.reason]++
			text := l.verdict == receipt.Full
			if l.grade <= pointed && text || l.grade == likely && text && !j.likelyAsText() {
				t.Fatalf("a piece of grade %d stands with its text", l.grade)
			}
			if l.reason == "" || !text && l.verdict != receipt.Pointer {
				t.Fatalf("a piece of grade %d is %s for %q", l.grade, l.verdict, l.reason)
			}
			if text {
				sum += len(l.item.Text)
			} else if l.reason == string(reasonCap) {
				least = min(least, len(l.item.Text))
			}
		}
		if sum > j.policy.Code.Bytes {
			t.Fatalf("%d bytes in a budget of %d", sum, j.policy.Code.Bytes)
		}
		if sum+least <= j.policy.Code.Bytes {
			t.Fatalf("a text of %d bytes found no room, though %d of %d are taken", least, sum, j.policy.Code.Bytes)
		}
	}
	for _, reason := range []string{
		reasonStrong, reasonToChange, reasonRoom, reasonInjectAt, reasonPossible, string(reasonCap),
	} {
		if decided[reason] < 50 {
			t.Errorf("reason %s was given %d times: is this a test?", reason, decided[reason])
		}
	}
}

func TestLikelyTextIsTheBestRelevanceForEachToken(t *testing.T) {
	t.Parallel()
	counter, err := tokens.For("")
	if err != nil {
		t.Fatal(err)
	}
	j := &job{counter: counter}
	j.policy.LikelyText, j.policy.Code.Bytes = true, 550
	for i, x := range []struct {
		relevance float64
		words     int
	}{{.8, 100}, {.5, 20}, {.5, 20}, {.4, 60}, {.31, 1}} {
		l := line{verdict: receipt.Full, part: -1}
		l.ID, l.block, l.grade, l.Relevance, l.Line = fmt.Sprint(i), true, likely, x.relevance, "tide"
		l.Text = strings.Repeat("tide ", x.words)
		j.choice.lines = append(j.choice.lines, l)
	}
	j.spendCodeBudget()
	var got []string
	for i := range j.choice.lines {
		got = append(got, string(j.choice.lines[i].verdict))
	}
	if want := "pointer text text text text"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s: 0.8 for 500 bytes is the least for each token", got, want)
	}
}

// graded is an Assembler whose index always answers with a piece of each grade.
func graded(t *testing.T, asked *retrieve.Request) *bench {
	b := setup(t, harbour)
	b.Code = answers(func(_ context.Context, req retrieve.Request, _ error) (*retrieve.Reply, error) {
		*asked = req
		reply := &retrieve.Reply{Status: retrieve.OK, Project: "p", Root: b.root, Results: []retrieve.Result{}}
		for _, x := range []struct {
			name      string
			relevance float64
		}{{"sure", .9}, {"fair", .5}, {"vague", .1}, {"void", rank.Floor / 2}} {
			grade := req.Gates.WithDefaults().GradeOf(x.relevance)
			if grade == "" {
				continue
			}
			text := "func " + x.name + "() {\n\tbody(\"" + x.name + "\")\n}"
			if grade == gates.Possible {
				text, _, _ = strings.Cut(text, "\n")
			}
			reply.Results = append(reply.Results, retrieve.Result{Path: x.name + ".go", StartLine: 1, EndLine: 3,
				SnippetLine: 1, Symbol: x.name, Kind: "func", Language: "go", Relevance: x.relevance, Grade: grade,
				Snippet: text})
		}
		return reply, nil
	})
	return b
}

func TestAGradeMeansTheSameInEveryPrompt(t *testing.T) {
	t.Parallel()
	var asked retrieve.Request
	b := graded(t, &asked)
	const text, pointer, guess, none = "text", "pointer", "guess", ""
	for _, tt := range []struct {
		name, profile, mode string
		inject, min         *float64
		sure, fair, vague   string
		why                 string // of fair
	}{
		{name: "a developer", profile: "developer", sure: text, fair: text, vague: guess, why: reasonRoom},
		{name: "the seed's gate", profile: "default", sure: text, fair: pointer, vague: guess, why: reasonInjectAt},
		{name: "an architect", profile: "architect", sure: pointer, fair: pointer, vague: guess, why: reasonInjectAt},
		{name: "no code at all", profile: "royalty"},
		{name: "a cheap context", profile: "developer", mode: "cheap", sure: text, fair: pointer, vague: guess,
			why: reasonInjectAt},
		{name: "inject_at .85", profile: "developer", inject: ptr(.85), sure: text, fair: pointer, vague: guess,
			why: reasonInjectAt},
		{name: "inject_at .95", profile: "developer", inject: ptr(.95), sure: pointer, fair: pointer, vague: guess,
			why: reasonInjectAt},
		{name: "inject_at .4", profile: "default", inject: ptr(.4), sure: text, fair: text, vague: guess,
			why: reasonStrong},
		{name: "inject_at 0", profile: "developer", inject: ptr(0.), sure: text, fair: text, vague: guess,
			why: reasonStrong},
		{name: "min_relevance .3", profile: "developer", min: ptr(.3), sure: text, fair: text, vague: none,
			why: reasonRoom},
		{name: "min_relevance .6", profile: "developer", min: ptr(.6), sure: text, fair: none, vague: none},
		{name: "min_relevance .05", profile: "developer", min: ptr(.05), sure: text, fair: text, vague: text,
			why: reasonRoom},
		{name: "min_relevance .05", profile: "default", min: ptr(.05), sure: text, fair: pointer, vague: pointer,
			why: reasonInjectAt},
		{name: "both", profile: "developer", inject: ptr(.95), min: ptr(.05), sure: pointer, fair: pointer,
			vague: pointer, why: reasonInjectAt},
	} {
		req := Request{Project: "p", Profile: ProfileChoice{Name: tt.profile}, Task: &Task{Mode: tt.mode},
			InjectAt: tt.inject, MinRelevance: tt.min, DeadlineMS: 60_000}
		req.Task.Title = "Mend the lamp"
		r := b.build(req)
		got := section(t, r, compile.SectionCode)
		for name, want := range map[string]string{"sure": tt.sure, "fair": tt.fair, "vague": tt.vague, "void": none} {
			stands := none
			switch line := name + ".go:1-3: func " + name + "() {"; {
			case strings.Contains(got, line+" (possible)\n"):
				stands = guess
			case strings.Contains(got, line+"\n"):
				stands = pointer
			case strings.Contains(got, "body(\""+name+"\")"):
				stands = text
			case strings.Contains(got, name):
				stands = "something else"
			}
			if stands != want {
				t.Errorf("%s: %s stands as %q, want %q, in\n%s", tt.name, name, stands, want, got)
			}
		}
		if l := account(t, b, r.ID, "code:fair.go#fair"); l.Reason != tt.why {
			t.Errorf("%s: the receipt says %q of the likely piece, want %q", tt.name, l.Reason, tt.why)
		}
		if l := account(t, b, r.ID, "code:vague.go#vague"); (l.Reason == reasonPossible) != (tt.vague == guess) {
			t.Errorf("%s: the receipt says %q of the guess", tt.name, l.Reason)
		}
	}
}

func TestCodeBudgetsThatAreSpentLeavePointers(t *testing.T) {
	t.Parallel()
	var asked retrieve.Request
	b := graded(t, &asked)
	req := Request{Project: "p", Profile: ProfileChoice{Name: "developer"}, Query: "mend the lamp", DeadlineMS: 60_000}
	whole := b.build(req)
	if asked.Gates.MaxResults != 8 || asked.Gates.MaxChars != 1600 || asked.Gates.MaxBytes < 8*1600 {
		t.Errorf("asked for %+v, want every result's text", asked.Gates)
	}
	const fence = 8 // tokens of the fence around pointers
	least, guess := 0, account(t, b, whole.ID, "code:vague.go#vague").Tokens+fence
	for budget := whole.Tokens; budget > 0; budget-- {
		// the likely text goes before any pointer that its room would hold
		req.BudgetTokens = budget
		r, err := b.Build(context.Background(), req)
		if err != nil {
			break
		}
		if r.Tokens > budget {
			t.Fatalf("%d tokens in a budget of %d", r.Tokens, budget)
		}
		code := section(t, r, compile.SectionCode)
		if strings.Contains(code, `body("fair")`) && !strings.Contains(code, "vague.go:1-3") &&
			r.Tokens+guess <= budget {
			t.Fatalf("with %d tokens the likely text cost a pointer:\n%s", budget, code)
		}
		if l := account(t, b, r.ID, "code:fair.go#fair"); l.Decision == receipt.Pointer {
			least++
			if l.Reason != reasonBudget || l.NeededBudget <= budget {
				t.Fatalf("with %d tokens: %+v", budget, l)
			}
		}
	}
	if least == 0 {
		t.Error("no budget left a likely piece as a pointer")
	}
}

func TestAGuessOfAFileThatTheTaskNamesIsNoGuess(t *testing.T) {
	t.Parallel()
	j := &job{task: &Task{}, found: found{code: &retrieve.Reply{
		Results: []retrieve.Result{{Path: "a.go", StartLine: 1, EndLine: 2, Symbol: "a", Grade: gates.Possible,
			Relevance: .1, Snippet: "func a() {"}},
		Named: []retrieve.Result{{Path: "a.go", StartLine: 1, EndLine: 2, Symbol: "a", Grade: gates.Likely,
			Relevance: .1, Snippet: "func a() {\n}"}},
	}}}
	j.policy.MinRelevance, j.policy.InjectAt = .3, .85
	got := j.code()
	j.policy.MinRelevance = .9
	if named := j.code(); len(named) != 1 || named[0].grade != likely {
		t.Errorf("a least relevance above inject_at makes a named file %+v", named)
	}
	if len(got) != 1 || got[0].Guess || got[0].grade != likely || got[0].Relevance != .3 ||
		got[0].Text != "func a() {\n}" || got[0].language != lang.Text {
		t.Errorf("%+v", got)
	}
}
