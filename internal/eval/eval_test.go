package eval

import (
	"math"
	"strings"
	"testing"
)

func TestMeasuresOfAnAnswer(t *testing.T) {
	t.Parallel()
	at := func(paths ...string) (out []Place) {
		for _, p := range paths {
			out = append(out, Place{Path: p})
		}
		return out
	}
	second := 1 / math.Log2(3)
	for name, c := range map[string]struct {
		relevant, results []Place
		want              Measures
	}{
		"first":          {at("a.go"), at("a.go", "b.go"), Measures{1, 1, 1, 1, 1}},
		"second":         {at("a.go"), at("b.go", "a.go"), Measures{second, 0, 1, 1, .5}},
		"below the root": {at("src/a.go"), at("a.go"), Measures{1, 1, 1, 1, 1}},
		"above the root": {at("a.go"), at("src/a.go"), Measures{1, 1, 1, 1, 1}},
		"no part of it":  {at("a.go"), at("aa.go"), Measures{}},
		"nothing":        {at("a.go"), nil, Measures{}},
		"one of two":     {at("a.go", "b.go"), at("a.go"), Measures{1 / (1 + second), .5, .5, .5, 1}},
		"other lines":    {[]Place{{"a.go", 1, 9}}, []Place{{"a.go", 10, 20}}, Measures{0, 1, 1, 1, 1}},
		"touching lines": {[]Place{{"a.go", 1, 10}}, []Place{{"a.go", 10, 20}}, Measures{1, 1, 1, 1, 1}},
		"the eleventh": {at("k.go"), at("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "k.go"),
			Measures{MRR: 1. / 11}},
		"a file twice": {at("b.go"), at("a.go", "a.go", "b.go"), Measures{.5, 0, 1, 1, .5}},
		"a file's 2 parts": {[]Place{{"a.go", 1, 9}, {"a.go", 20, 29}}, []Place{{"a.go", 1, 9}, {"a.go", 20, 29}},
			Measures{1, 1, 1, 1, 1}},
	} {
		got := Score(Question{Relevant: c.relevant}, c.results)
		for i, d := range []float64{
			got.NDCG - c.want.NDCG, got.Recall1 - c.want.Recall1, got.Recall5 - c.want.Recall5,
			got.Recall10 - c.want.Recall10, got.MRR - c.want.MRR,
		} {
			if math.Abs(d) > 1e-9 {
				t.Errorf("%s: measure %d of %+v, want %+v", name, i, got, c.want)
			}
		}
	}
}

func TestIntervalsHoldTheMeanAndComeOutTheSame(t *testing.T) {
	t.Parallel()
	var all []Measures
	for i := range 50 {
		all = append(all, Measures{NDCG: float64(i%5) / 4, MRR: 1})
	}
	a, b := Summarize(all), Summarize(all)
	if a != b {
		t.Error("two runs differ")
	}
	if !(a.NDCG.Low < a.NDCG.Mean && a.NDCG.Mean < a.NDCG.High) || math.Abs(a.MRR.Low-1) > 1e-9 ||
		math.Abs(a.MRR.High-1) > 1e-9 || a.Questions != 50 {
		t.Errorf("summary %+v", a)
	}
	if got := Summarize(nil); got != (Summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestQuestionsAreReadAndFaultsNamed(t *testing.T) {
	t.Parallel()
	qs, err := Read(strings.NewReader(
		`{"id":"x","query":"a","relevant":[{"path":"p","start":null,"end":null,"ranges":[[1,2]]}],"more":1}` + "\n\n" +
			`{"query":"b","secondary":[{"path":"p","start":3,"end":4}]}`))
	if err != nil || len(qs) != 2 || qs[0].ID != "x" || qs[1].ID != "3" || qs[1].Secondary[0].End != 4 {
		t.Errorf("%+v, %v", qs, err)
	}
	for text, want := range map[string]string{
		"x":             "line 1",
		"{}":            `"query"`,
		`{"query":"a"}`: `"relevant"`,
		"\n[]":          "line 2",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"id":"x","query":"a","relevant":[{"path":"p"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		qs, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, q := range qs {
			if m := Score(q, q.Relevant); m.NDCG < 0 || m.NDCG > 1+1e-9 {
				t.Fatalf("NDCG %v", m.NDCG)
			}
		}
	})
}
