package usage

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestOverlapIsTheJaccardIndexOfWordsOfThreeLetters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"the login page", "", 0},
		{"the login page", "The LOGIN-page!", 1},
		{"the login page", "a login of it, page 12", 2.0 / 3},
		{"an of is", "an of is", 0},
		{"one two three four", "four five six seven", 1.0 / 7},
		{"parse_http2xx parse", "parse http", 1},
		{"вход страница", "ВХОД", .5},
		{"ab\xffcd log", "log", 1},
	} {
		if got := Overlap(WordsOf(tt.a), WordsOf(tt.b)); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	code := item{ID: "code", Path: "src/api/login.go",
		Words: WordsOf("func Login checks the password of a user against the store")}
	note := item{ID: "note", Words: WordsOf("we decided to keep sessions in redis")}
	none := item{ID: "none", Path: "docs/old.md", Words: WordsOf("unrelated text about weather")}
	items := []item{code, note, none}
	const long = `This reply has gone through many things which nobody asked about, among them harbours, lighthouses, ferries, cranes, anchors,
sails, masts, ropes, knots, tides, currents, islands, gulls, herrings, nets, barrels, captains, cooks, maps, stars and compasses.`
	for name, tt := range map[string]struct {
		feedback Feedback
		want     [3]Outcome
		missed   []string
	}{
		"overlap": {Feedback{Response: "I keep sessions in redis as decided"},
			[3]Outcome{Dead, Used, Dead}, nil},
		"too little overlap": {Feedback{Response: "redis " +
			strings.Join(strings.Fields("plus many other words which say nothing about what stood there before"), " ")},
			[3]Outcome{Dead, Dead, Dead}, nil},
		"overlap in a paragraph": {Feedback{Response: long +
			"\n \nAs decided we keep the sessions in redis for a while again today\n\n" + long},
			[3]Outcome{Dead, Used, Dead}, nil},
		"overlap drowned": {Feedback{Response: long +
			" As decided we keep the sessions in redis for a while " + long}, [3]Outcome{Dead, Dead, Dead}, nil},
		"a heading says little": {Feedback{Response: "# Sessions in redis\n\n" + long},
			[3]Outcome{Dead, Dead, Dead}, nil},
		"names the file":       {Feedback{Response: "See src/api/login.go."}, [3]Outcome{Used, Dead, Dead}, nil},
		"names it with a line": {Feedback{Response: `in src\api\login.go:42`}, [3]Outcome{Used, Dead, Dead}, nil},
		"names another file": {Feedback{Response: "src/api/login.go.bak and x-src/api/login.go"},
			[3]Outcome{Dead, Dead, Dead}, nil},
		"edited": {Feedback{Edited: []string{"./src/api/login.go"}},
			[3]Outcome{Used, Dead, Dead}, nil},
		"edited, absolute": {Feedback{Edited: []string{"/srv/web/src/api/login.go"}},
			[3]Outcome{Used, Dead, Dead}, nil},
		"edited, Windows": {Feedback{Edited: []string{`C:\web\src\api\login.go`}},
			[3]Outcome{Used, Dead, Dead}, nil},
		"opened again": {Feedback{Opened: []string{"src/api/login.go:10-30"}},
			[3]Outcome{Refetched, Dead, Dead}, nil},
		"opened and edited": {Feedback{Opened: []string{"src/api/login.go"},
			Edited: []string{"src/api/login.go"}}, [3]Outcome{Used, Dead, Dead}, nil},
		"opened something else": {Feedback{Opened: []string{"web/src/api/login.go", "b.go", "b.go:1"}},
			[3]Outcome{Dead, Dead, Dead}, []string{"b.go", "web/src/api/login.go"}},
		"searched for what it had": {Feedback{Searched: []string{"password store", "src/api/login.go"}},
			[3]Outcome{Refetched, Dead, Dead}, nil},
		"searched for more": {Feedback{Searched: []string{"password hashing", "12", " "}}, [3]Outcome{Dead, Dead, Dead},
			[]string{"12", "password hashing"}},
	} {
		verdicts, missed := judge(items, tt.feedback)
		got := [3]Outcome{verdicts[0].outcome, verdicts[1].outcome, verdicts[2].outcome}
		if got != tt.want || !reflect.DeepEqual(missed, tt.missed) {
			t.Errorf("%s: %v, missed %q; want %v, %q", name, got, missed, tt.want, tt.missed)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("see src/a.go:3", "src/a.go", "text of it", `c:\src\a.go#L3`)
	f.Fuzz(func(t *testing.T, response, path, text, given string) {
		items := []item{{ID: "a", Path: path, Words: WordsOf(text)}, {ID: "b", Words: WordsOf(response)}}
		verdicts, _ := judge(items, Feedback{Response: response, Opened: []string{given}, Edited: []string{path},
			Searched: []string{given, text}})
		for _, v := range verdicts {
			if v.outcome == Open || v.weight < 0 || v.weight > 1 {
				t.Errorf("%+v", v)
			}
		}
		packed, err := items[0].Words.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again Words
		if err := again.UnmarshalText(packed); err != nil || len(again) != len(items[0].Words) ||
			again.common(items[0].Words) != len(again) {
			t.Errorf("%v: %v, not %v", err, again, items[0].Words)
		}
	})
}
