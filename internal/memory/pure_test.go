package memory

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestTraitsAreTheDesignsTable: from the current task (1.0) to an old error (.3), each kind once.
func TestTraitsAreTheDesignsTable(t *testing.T) {
	t.Parallel()
	for _, k := range []string{"TASK", "CODE", "ERROR", "TEST_RESULT", "PRD_SECTION", "decision", "fact", "procedure",
		"episode", "plan", "convention",
		"preference", "pattern", "summary", "failure", "review", "reasoning"} {
		if _, err := ParseKind(k); err != nil {
			t.Error(err)
		}
	}
	if len(Kinds()) != len(Traits) || len(slices.Compact(Kinds())) != len(Traits) {
		t.Errorf("%d kinds, %d traits", len(Kinds()), len(Traits))
	}
	for _, tr := range Traits {
		if !(tr.Past > 0 && tr.Past <= tr.Weight && tr.Weight <= 1 && tr.Days > 0) || tr.For == "" {
			t.Errorf("%+v", tr)
		}
	}
	task, old := Item{Kind: "task", Scope: ScopeTask}, Item{Kind: "error", Scope: ScopeTask, Past: true}
	if Importance(&task, time.Time{}) != 1 || math.Abs(Importance(&old, time.Time{})-.3) > 1e-12 {
		t.Errorf("current task %v, want 1; old error %v, want .3", Importance(&task, time.Time{}),
			Importance(&old, time.Time{}))
	}
}

// TestImportanceIsTheFormula (SEEDS M2): weight × exp(−days/constant) × (1 + ln(n+1)/10), cut to [0,1]; an importance
// that was given stands.
func TestImportanceIsTheFormula(t *testing.T) {
	t.Parallel()
	pin := func(f float64) *float64 { return &f }
	at := func(days float64) time.Time { return start.Add(time.Duration(days * float64(day))) }
	for _, tt := range []struct {
		name string
		it   Item
		days float64
		want float64
	}{
		{"new decision", Item{Kind: "decision"}, 0, .9},
		{"a constant later", Item{Kind: "decision"}, 90, .9 / math.E},
		{"error after two days", Item{Kind: "error"}, 2, .9 / math.E},
		{"three uses", Item{Kind: "fact", AccessCount: 3}, 0, .7 * (1 + math.Log(4)/10)},
		{"never above 1", Item{Kind: "task", AccessCount: 1 << 30}, 0, 1},
		{"of a past task", Item{Kind: "code", Scope: ScopeTask, Past: true}, 0, .4},
		{"past counts for scope task only", Item{Kind: "code", Scope: ScopeProject, Past: true}, 0, .85},
		{"given", Item{Kind: "error", Pinned: pin(.75)}, 1000, .75},
		{"given 0", Item{Kind: "task", Pinned: pin(0)}, 0, 0},
		{"used after it was written", Item{Kind: "fact", AccessCount: 1, LastAccessed: at(59)}, 60,
			.7 * math.Exp(-1./60) * (1 + math.Ln2/10)},
		{"clock went back", Item{Kind: "fact"}, -400, .7},
		{"a kind of a newer version", Item{Kind: "dream"}, 0, .5},
	} {
		tt.it.CreatedAt = start
		if got := Importance(&tt.it, at(tt.days)); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestImportanceStaysInRangeAndOnlyFades: for any item, in [0,1], never rising with time, never falling with a use.
func TestImportanceStaysInRangeAndOnlyFades(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		tr := Traits[rng.IntN(len(Traits))]
		it := Item{Kind: tr.Kind, Scope: Scopes()[rng.IntN(3)], Past: rng.IntN(2) == 0,
			AccessCount: int(rng.ExpFloat64() * 100), CreatedAt: start}
		it.LastAccessed = start.Add(time.Duration(rng.Int64N(int64(100 * day))))
		now := start.Add(time.Duration(rng.Int64N(int64(400*day))) - 50*day)
		last := math.Inf(1)
		for range 5 {
			v := Importance(&it, now)
			if !(v >= 0 && v <= 1) || v > last {
				t.Fatalf("%+v at %v: %v after %v", it, now, v, last)
			}
			used := it
			used.AccessCount++
			used.LastAccessed = latest(used.LastAccessed, now)
			if u := Importance(&used, now); u < v {
				t.Fatalf("%+v at %v: a use lowers it from %v to %v", it, now, v, u)
			}
			last, now = v, now.Add(time.Duration(rng.Int64N(int64(30*day))))
		}
	}
}

// TestTiersBeginWhereTheDesignSays (SEEDS M3).
func TestTiersBeginWhereTheDesignSays(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]Tier{
		1:                     Hot,
		.8:                    Hot,
		math.Nextafter(.8, 0): Warm,
		.4:                    Warm,
		math.Nextafter(.4, 0): Cold,
		0:                     Cold,
	} {
		if got := TierOf(v); got != want {
			t.Errorf("TierOf(%v) = %s, want %s", v, got, want)
		}
	}
}

// TestRetierTellsWhatChanged: a new task makes what was written for another one past; nothing else is written again.
func TestRetierTellsWhatChanged(t *testing.T) {
	t.Parallel()
	item := func(id string, kind Kind, scope Scope, task string) Item {
		it := Item{ID: id, Kind: kind, Scope: scope, TaskID: task, CreatedAt: start, LastAccessed: start}
		it.rate(start)
		return it
	}
	items := []Item{item("a", "error", ScopeTask, "t1"), item("b", "error", ScopeTask, "t2"),
		item("c", "error", ScopeTask, ""), item("d", "decision", ScopeProject, "t1")}
	names := func(items []Item) (s string) {
		for _, it := range items {
			s += it.ID + string(it.Tier) + " "
		}
		return s
	}
	for _, tt := range []struct {
		current string
		after   time.Duration
		want    string
	}{
		{"", 0, ""}, {"t1", 0, "bCOLD "}, {"t2", 0, "aCOLD "}, {"t2", time.Minute, "aCOLD "}, {"t3", 0, "aCOLD bCOLD "},
		{"", 2 * day, "aCOLD bCOLD cCOLD dHOT "}, {"t1", -day, "bCOLD "},
	} {
		if got := names(Retier(items, tt.current, start.Add(tt.after))); got != tt.want {
			t.Errorf("Retier(%q, %v) = %q, want %q", tt.current, tt.after, got, tt.want)
		}
	}
	back := Retier(Retier(items, "t2", start), "t1", start)
	if names(back) != "aHOT " || back[0].Past {
		t.Errorf("the task comes back: %+v", back)
	}
}

// TestBadDraftsAreRefused: each with the field, the value and what is wanted.
func TestBadDraftsAreRefused(t *testing.T) {
	t.Parallel()
	f := func(v float64) *float64 { return &v }
	secret := "gh" + "p_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
	good := func(change func(*Draft)) Draft {
		d := Draft{Kind: "fact", Content: "Ports below 1024 need a capability."}
		change(&d)
		return d
	}
	sum := strings.Repeat("ab", 32)
	for _, tt := range []struct {
		name string
		d    Draft
		want string // in the error
	}{
		{"unknown kind", good(func(d *Draft) {
			d.Kind = "Dream"
		}), `kind "Dream": want one of code, convention, conversation, decision, episode, error,`},
		{"no kind", good(func(d *Draft) { d.Kind = "" }), `kind "": want one of`},
		{"unknown scope", good(func(d *Draft) { d.Scope = "team" }), `scope "team": want one of task, project, global`},
		{"project without one", good(func(d *Draft) {
			d.Scope = "project"
		}), `scope "project": want a project with it`},
		{"empty", good(func(d *Draft) { d.Content = " \n\t" }), "content"},
		{"huge", good(func(d *Draft) {
			d.Content = strings.Repeat("x", MaxContent+1)
		}), `content "262145 bytes": want at most 262144`},
		{"not UTF-8", good(func(d *Draft) { d.Content = "a\xffb" }), "want UTF-8"},
		{"above 1", good(func(d *Draft) { d.Importance = f(1.01) }), `importance "1.01": want 0 to 1`},
		{"below 0", good(func(d *Draft) { d.Importance = f(-.1) }), "want 0 to 1"},
		{"no number", good(func(d *Draft) { d.Importance = f(math.NaN()) }), "want 0 to 1"},
		{"tags", good(func(d *Draft) { d.Tags = make([]string, maxTags+1) }), "at most 32"},
		{"empty tag", good(func(d *Draft) { d.Tags = []string{" "} }), "tag"},
		{"long task", good(func(d *Draft) { d.TaskID = strings.Repeat("t", 201) }), "task_id"},
		{"task with a line break", good(func(d *Draft) { d.TaskID = "a\nb" }), "no control characters"},
		{"secret in a tag", good(func(d *Draft) {
			d.Tags = []string{secret}
		}), `tag "[redacted: GitHub token]": want no secret`},
		{"secret as a kind", good(func(d *Draft) { d.Kind = secret }), "[redacted"},
		{"absolute citation", good(func(d *Draft) { d.Citations = []Citation{{Path: "/etc/passwd"}} }), "relative"},
		{"citation outside", good(func(d *Draft) { d.Citations = []Citation{{Path: "../x"}} }), "relative"},
		{"citation not clean", good(func(d *Draft) { d.Citations = []Citation{{Path: "a//b"}} }), "relative"},
		{"span backwards", good(func(d *Draft) { d.Citations = []Citation{{Path: "a.go", Span: &Span{9, 3}}} }), "9-3"},
		{"hash", good(func(d *Draft) {
			d.Citations = []Citation{{Path: "a.go", Hash: "abc"}}
		}), "64 lower-case hexadecimal"},
		{"hash in capitals", good(func(d *Draft) {
			d.Citations = []Citation{{Path: "a.go", Hash: strings.ToUpper(sum)}}
		}), "64 lower-case"},
	} {
		_, _, err := tt.d.item(t.Context(), Who{Agent: "knight-1"})
		var inv *Invalid
		if !errors.As(err, &inv) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
	fine := good(func(d *Draft) {
		d.Kind, d.Importance, d.Tags, d.Citations = "TEST_RESULT", f(1), []string{"b", "a", "b"},
			[]Citation{{Path: "a b/ü.go", Span: &Span{1, 1}, Hash: sum}}
		d.Content = strings.Repeat("x", MaxContent)
	})
	it, _, err := fine.item(t.Context(), Who{Agent: "knight-1"})
	if err != nil || it.Kind != "test_result" || it.Scope != ScopeTask || !slices.Equal(it.Tags, []string{"a", "b"}) ||
		*it.Pinned != 1 {
		t.Errorf("%+v, %v", it, err)
	}
	for _, w := range []Who{
		{},
		{Agent: strings.Repeat("a", 201)},
		{Agent: "a\x00"},
		{Agent: "a\xff"},
		{Agent: "a", Project: "\n"},
	} {
		if w.check() == nil {
			t.Errorf("%q is let pass", w)
		}
	}
}

// TestDuplicatesHaveOneID: the same text of the same kind and owner, however it is set, is one item; in code, case and
// indentation count.
func TestDuplicatesHaveOneID(t *testing.T) {
	t.Parallel()
	id := func(agent, project, scope, kind, text string) string {
		it, _, err := Draft{Kind: kind, Scope: scope, Content: text}.item(t.Context(), Who{agent, project})
		if err != nil {
			t.Fatal(err)
		}
		return it.ID
	}
	base := id("a", "web", "task", "fact", "The API listens on 9465.")
	for _, tt := range []struct {
		name string
		id   string
		same bool
	}{
		{"case and white space", id("a", "web", "task", "FACT", " the api  listens\n\ton 9465. "), true},
		{"another kind", id("a", "web", "task", "decision", "The API listens on 9465."), false},
		{"another agent", id("b", "web", "task", "fact", "The API listens on 9465."), false},
		{"another project", id("a", "app", "task", "fact", "The API listens on 9465."), false},
		{"another scope", id("a", "web", "project", "fact", "The API listens on 9465."), false},
		{"another text", id("a", "web", "task", "fact", "The API listens on 9464."), false},
	} {
		if (tt.id == base) != tt.same {
			t.Errorf("%s: same id %v, want %v", tt.name, tt.id == base, tt.same)
		}
	}
	if id("a", "web", "project", "fact", "x y") != id("b", "web", "project", "fact", "x y") ||
		id("a", "web", "global", "fact", "x y") != id("b", "app", "global", "fact", "x y") {
		t.Error("what is shared has another id for each agent")
	}
	code := id("a", "", "task", "code", "if x:\n    y()\n")
	if code != id("a", "", "task", "code", "if x:  \r\n    y()") ||
		code == id("a", "", "task", "code", "if X:\n    y()") || code == id("a", "", "task", "code", "if x:\n  y()") {
		t.Error("code is compared wrongly")
	}
}

// TestMergeKeepsAll: accesses add up, the higher importance stays, tags and citations are united, time does not run
// back.
func TestMergeKeepsAll(t *testing.T) {
	t.Parallel()
	low, high := .5, .7
	old := Item{Kind: "fact", Scope: ScopeTask, AccessCount: 3, CreatedAt: start, LastAccessed: start.Add(day),
		Tags: []string{"a", "c"}, Pinned: &high, TaskID: "t1", Past: true,
		Citations: []Citation{{Path: "a.go", Hash: "1"}, {Path: "b.go", Hash: "1"}}}
	again := Item{Kind: "fact", Scope: ScopeTask, CreatedAt: start.Add(-day), LastAccessed: start.Add(-day),
		Tags: []string{"b", "c"}, Pinned: &low, TaskID: "t2",
		Citations: []Citation{{Path: "a.go", Hash: "2"}, {Path: "b.go"}, {Path: "b.go", Span: &Span{1, 2}}}}
	it := merge(old, again, start.Add(-day))
	if it.AccessCount != 4 || !it.LastAccessed.Equal(start.Add(day)) || !it.CreatedAt.Equal(start.Add(-day)) ||
		*it.Pinned != .7 || it.Importance != .7 ||
		strings.Join(it.Tags, "") != "abc" || it.TaskID != "t2" || it.Past {
		t.Errorf("%+v", it)
	}
	if len(it.Citations) != 3 || it.Citations[0].Hash != "2" || it.Citations[1].Hash != "1" {
		t.Errorf("citations %+v", it.Citations)
	}
	for _, tt := range []struct {
		old, again *float64
		want       float64
	}{{nil, &low, .9 * (1 + math.Ln2/10)}, {&low, nil, .5}, {&low, &high, .7}, {&high, &low, .7}} {
		it := merge(Item{Kind: "decision", CreatedAt: start, Pinned: tt.old},
			Item{Kind: "decision", CreatedAt: start, Pinned: tt.again}, start)
		if math.Abs(it.Importance-tt.want) > 1e-12 || it.Tier != TierOf(tt.want) {
			t.Errorf("given %v, then %v: %v, want %v", tt.old, tt.again, it.Importance, tt.want)
		}
	}
	if old.Citations[0].Hash != "1" {
		t.Error("the old item was changed")
	}
}

// TestOnlyUsefulChangesChangeTheHash (SEEDS M7): what a prompt shows counts, how important it is does not.
func TestOnlyUsefulChangesChangeTheHash(t *testing.T) {
	t.Parallel()
	base := Item{ID: "m", Kind: "fact", Scope: ScopeTask, Content: "x", Tags: []string{"t"},
		Citations: []Citation{{Path: "a.go", Hash: "1", Span: &Span{1, 2}}}}
	same, seen := base, map[string]bool{fmt.Sprint(base.hash()): true}
	same.Importance, same.Tier, same.AccessCount, same.LastAccessed, same.AgentID = .3, Cold, 9, start, "b"
	if same.hash() != base.hash() {
		t.Error("importance and use change it")
	}
	for _, change := range []func(*Item){
		func(it *Item) {
			it.Content = "y"
		}, func(it *Item) { it.Kind = "decision" }, func(it *Item) { it.Scope = ScopeGlobal },
		func(it *Item) {
			it.Tags = nil
		}, func(it *Item) {
			it.Citations = nil
		}, func(it *Item) { it.Citations = []Citation{{Path: "a.go", Hash: "1", Span: &Span{1, 3}}} },
		func(it *Item) { it.Citations = []Citation{{Path: "a.go", Hash: "2", Span: &Span{1, 2}}} },
	} {
		it := base
		change(&it)
		if h := fmt.Sprint(it.hash()); seen[h] {
			t.Errorf("%+v has the hash of another", it)
		} else {
			seen[h] = true
		}
	}
}

// shareOf is the share of the words of a text that stand in runs that were injected.
func shareOf(in *injected, text string) float64 {
	share, _ := repeats(text, in.has)
	return share
}

// TestShinglesKnowRepeatedText: whatever the case, white space, punctuation and letters that look alike; with words
// changed here and there, but not in one place of a sentence.
func TestShinglesKnowRepeatedText(t *testing.T) {
	t.Parallel()
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "word%d ", i)
		}
		return b.String()
	}
	every := func(n int, text string, change func(string) string) string {
		list := strings.Fields(text)
		for i := n / 2; i < len(list); i += n {
			list[i] = change(list[i])
		}
		return strings.Join(list, " ")
	}
	other := func(string) string { return "other" }
	within := func(mark string) func(string) string { return func(w string) string { return w[:1] + mark + w[1:] } }
	const sentence = "The worker claims a project under a lease of thirty seconds and renews it while it indexes, so that a crash frees it."
	text := words(100) + sentence
	cyrillic := strings.NewReplacer("a", "а", "e", "е", "o", "о", "c", "с", "p", "р")
	greek := strings.NewReplacer("o", "ο", "i", "ι", "a", "α")
	wide := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'ａ'
		}
		return r
	}, sentence)
	in := &injected{all: shingles(text)}
	for _, tt := range []struct {
		name, text string
		repeated   bool
	}{
		{"the same", text, true},
		{"set differently", strings.ToUpper(strings.ReplaceAll(text, " ", ",\n")), true},
		{"a part", strings.Join(strings.Fields(text)[20:60], " "), true},
		{"a sentence of it", sentence, true},
		{"with a sentence added", text + " and one thing that is new to all of us", true},
		{"as much again", text + strings.ReplaceAll(text, "o", "e"), false},
		{"every seventh word another", every(7, text, other), true},
		{"every seventh word of a sentence another", every(7, sentence, other), true},
		{"every third word another", every(3, text, other), false},
		{"one word of a sentence another", strings.Replace(sentence, "thirty", "sixty", 1), false},
		{"zero-width spaces", every(1, sentence, within("\u200b")), true},
		{"soft hyphens and joiners", every(2, sentence, within("\u00ad\u034f\u200d\ufe0f")), true},
		{"accents", every(2, sentence, within("\u0301")), true},
		{"blank letters", every(2, sentence, within("\u3164\u2800")), true},
		{"Cyrillic letters", cyrillic.Replace(sentence), true},
		{"Greek letters", greek.Replace(sentence), true},
		{"wide letters", wide, true},
		{"fewer than eight words of it", "word3 word4 word5", false},
		{"no words", "--- …", false},
	} {
		if share, got := repeats(tt.text, in.has); got != tt.repeated {
			t.Errorf("%s: %v, share %.2f, want %v", tt.name, got, share, tt.repeated)
		}
	}
	short := &injected{all: shingles("We use JWT.")}
	for text, want := range map[string]bool{"we use jwt": true, "we use jwt now": false, "we do use jwt": false} {
		if _, got := repeats(text, short.has); got != want {
			t.Errorf("short %q: %v", text, got)
		}
	}
}

// TestSortedSetsAreSets: the two operations on sorted hashes, against maps.
func TestSortedSetsAreSets(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	for range 500 {
		set := func() []uint64 {
			var s []uint64
			for range rng.IntN(30) {
				s = append(s, rng.Uint64N(40))
			}
			slices.Sort(s)
			return slices.Compact(s)
		}
		a, b := set(), set()
		want := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
		if got := union64(a, b); !slices.Equal(got, want) {
			t.Fatalf("union of %v and %v = %v", a, b, got)
		}
		want = slices.DeleteFunc(slices.Clone(a), func(h uint64) bool { return slices.Contains(b, h) })
		if got := without(a, b); !slices.Equal(got, want) {
			t.Fatalf("%v without %v = %v", a, b, got)
		}
	}
}

// TestExcessGoesFromTheLeast: oldest COLD first, then the least important, the last written last; a twentieth more than
// must.
func TestExcessGoesFromTheLeast(t *testing.T) {
	t.Parallel()
	s := &snapshot{rev: 9}
	add := func(id string, importance float64, ago time.Duration, rev int64) {
		s.items = append(s.items,
			&entry{Item: Item{ID: id, Content: "0123456789", Importance: importance, Tier: TierOf(importance),
				LastAccessed: start.Add(-ago)}, rev: rev})
	}
	add("cold-new", .1, time.Hour, 1)
	add("cold-old", .3, 3*time.Hour, 1)
	add("just", .01, 9*time.Hour, 9)
	add("warm", .5, 9*time.Hour, 1)
	add("hot", .9, 0, 1)
	s.weigh()
	ids := func(list []*entry) (all string) {
		for _, e := range list {
			all += e.ID + " "
		}
		return all
	}
	for _, tt := range []struct {
		items, bytes int
		want         string
	}{
		{5, 50, ""}, {4, 50, "cold-old "}, {3, 1000, "cold-old cold-new "}, {5, 35, "cold-old cold-new "},
		{1, 1000, "cold-old cold-new warm hot "},
	} {
		if got := ids(excess(s, tt.items, tt.bytes)); got != tt.want {
			t.Errorf("excess(%d, %d) = %q, want %q", tt.items, tt.bytes, got, tt.want)
		}
	}
	many := &snapshot{}
	for i := range 101 {
		many.items = append(many.items, &entry{Item: Item{ID: fmt.Sprint(i), Tier: Cold}})
	}
	if n := len(excess(many, 100, 1)); n != 6 {
		t.Errorf("%d of 101 go, want 6", n)
	}
}

// TestShouldFlashAtEightyPercent (SEEDS M4).
func TestShouldFlashAtEightyPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		used, limit int
		want        bool
	}{{79, 100, false}, {80, 100, true}, {6399, 8000, false}, {6400, 8000, true}, {9000, 8000, true}, {5, 0, false},
		{0, 100, false}} {
		if got := ShouldFlash(tt.used, tt.limit); got != tt.want {
			t.Errorf("ShouldFlash(%d, %d) = %v", tt.used, tt.limit, got)
		}
	}
}

// TestOptionsAreChecked: by name, with the range.
func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	if err := (Options{}).WithDefaults().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := New(nil, Options{MaxItems: -1}); err == nil ||
		!strings.Contains(err.Error(), "max_items must be between 1 and 100000 (got -1)") {
		t.Error(err)
	}
}

// FuzzDraft: whatever is written is refused with a reason, or becomes an item that survives its document.
func FuzzDraft(f *testing.F) {
	f.Add("fact", "task", "text", "tag", "a.go", 0.5)
	f.Add("CODE", "", "\x00\xff", "", "../a", 2.0)
	f.Fuzz(func(t *testing.T, kind, scope, content, tag, path string, importance float64) {
		d := Draft{Kind: kind, Scope: scope, Content: content, Tags: []string{tag}, Citations: []Citation{{Path: path}},
			Importance: &importance}
		it, _, err := d.item(t.Context(), Who{"a", "web"})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		it.rate(start)
		data, err := encode(it)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(data)
		if err != nil || back.hash() != it.hash() || back.ID != it.ID || back.Importance != it.Importance ||
			back.Importance < 0 || back.Importance > 1 {
			t.Fatalf("%+v came back as %+v, %v", it, back, err)
		}
	})
}
