package tokens

import (
	"errors"
	"math/rand"
	"slices"
	"testing"
)

func TestFit(t *testing.T) {
	t.Parallel()
	code := func(forms ...int) Part { return Part{Section: "code", Forms: forms} }
	memory := func(forms ...int) Part { return Part{Section: "memory", Forms: forms} }
	must := func(n int) Part { return Part{Section: "task", Class: Mandatory, Forms: []int{n}} }
	half := []Share{{Section: "code", Weight: 1}, {Section: "memory", Weight: 1}}
	for _, tt := range []struct {
		name   string
		budget int
		parts  []Part
		shares []Share
		want   []int
	}{
		{"all fits", 100, []Part{must(10), code(40), memory(40)}, half, []int{0, 0, 0}},
		{"each section has its share", 100, []Part{code(50), code(50), memory(50), memory(50)}, half,
			[]int{0, LeftOut, 0, LeftOut}},
		{"an unused share flows on", 100, []Part{code(40), code(40), memory(10)}, half, []int{0, 0, 0}},
		{"and back", 100, []Part{memory(40), memory(40), code(10)}, half, []int{0, 0, 0}},
		{"a share of nobody is everybody's", 100, []Part{code(90)}, half, []int{0}},
		{"a smaller form goes in where the best does not", 100, []Part{code(60, 30, 5), memory(60, 5)}, half,
			[]int{1, 0}},
		{"what is left makes forms better", 100, []Part{code(60, 30, 5), memory(30, 5)}, half, []int{0, 0}},
		{"no room beats a better form", 30, []Part{code(25, 10), code(12)}, []Share{{Section: "code", Weight: 1}},
			[]int{0, LeftOut}},
		{"weights count", 100, []Part{code(20), code(20), code(20), code(20), memory(20), memory(20)},
			[]Share{{Section: "code", Weight: 3}, {Section: "memory", Weight: 2}}, []int{0, 0, 0, LeftOut, 0, 0}},
		{"a limit holds though there is room", 100, []Part{code(10), code(10), code(10)},
			[]Share{{Section: "code", Weight: 1, Max: 20}}, []int{0, 0, LeftOut}},
		{"a section may have none", 100, []Part{code(10), memory(10)}, []Share{{Section: "code", Weight: 1, Max: -1}},
			[]int{LeftOut, 0}},
		{"first parts come before shares", 30, []Part{code(20), {Section: "history", Class: First, Forms: []int{20}}},
			half, []int{LeftOut, 0}},
		{"a first part may stay out", 30, []Part{{Section: "history", Class: First, Forms: []int{40}}, code(30)}, half,
			[]int{LeftOut, 0}},
		{"nothing", 0, nil, nil, []int{}},
	} {
		got, err := Fit(tt.budget, tt.parts, tt.shares)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v (%v)", tt.name, got, tt.want, err)
		}
	}
}

func TestABudgetBelowTheMandatoryPartSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	_, err := Fit(100, []Part{{Class: Mandatory, Forms: []int{90}}, {Class: Mandatory, Forms: []int{30}}}, nil)
	var small *TooSmallError
	if !errors.As(err, &small) || small.Need != 120 || small.Have != 100 ||
		err.Error() != "budget of 100 tokens is too small: the mandatory part alone needs 120" {
		t.Error(err)
	}
}

// problem makes a random problem.
func problem(r *rand.Rand) (budget int, parts []Part, shares []Share) {
	names := []string{"a", "b", "c", "d"}
	for range r.Intn(30) {
		p := Part{Section: names[r.Intn(4)], Class: Class([]int{0, 0, 0, 0, 1, 2}[r.Intn(6)])}
		for range r.Intn(4) {
			p.Forms = append(p.Forms, r.Intn(300))
		}
		if r.Intn(3) == 0 {
			p.Value = r.Float64()
			slices.SortFunc(p.Forms, func(a, b int) int { return b - a })
		}
		parts = append(parts, p)
	}
	for range r.Intn(6) {
		shares = append(shares, Share{Section: names[r.Intn(4)], Weight: float64(r.Intn(5)-1) / 2,
			Max: (r.Intn(4) - 1) * r.Intn(300)})
	}
	return r.Intn(2500), parts, shares
}

func TestAPartWithAValueGetsMoreOnlyWhenAllOthersHaveTheirs(t *testing.T) {
	t.Parallel()
	parts := []Part{
		{Section: "a", Class: Mandatory, Forms: []int{10}},
		{Section: "a", Forms: []int{100, 10}, Value: .9}, // .01 a token
		{Section: "a", Forms: []int{30, 10}, Value: .8},  // .04
		{Section: "a", Forms: []int{20, 10}, Value: .2},  // .02
		{Section: "a", Forms: []int{50, 5}},
	}
	for budget, want := range map[int][]int{
		44:  {0, 1, 1, 1, LeftOut},
		45:  {0, 1, 1, 1, 1},
		50:  {0, 1, 1, 1, 1},
		55:  {0, 1, 1, 0, 1},
		89:  {0, 1, 0, 0, 1}, // the last part cannot have more, so the others can
		90:  {0, 1, 1, 1, 0},
		109: {0, 1, 1, 0, 0}, // the best does not fit, the next one does
		110: {0, 1, 0, 1, 0},
		120: {0, 1, 0, 0, 0},
		209: {0, 1, 0, 0, 0},
		210: {0, 0, 0, 0, 0},
	} {
		got, err := Fit(budget, parts, []Share{{Section: "a", Weight: 1}})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("with %d: %v %v, want %v", budget, got, err, want)
		}
	}
}

func TestABudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	kept := 0
	for range 5000 {
		budget, parts, shares := problem(r)
		forms, err := Fit(budget, parts, shares)
		sum, must, used, room := 0, 0, map[string]int{}, 0
		for i, p := range parts {
			if p.Class == Mandatory && len(p.Forms) > 0 {
				must += p.Forms[0]
			}
			if err != nil || forms[i] == LeftOut {
				continue
			}
			kept++
			sum += p.Forms[forms[i]]
			if p.Class != Mandatory {
				used[p.Section] += p.Forms[forms[i]]
			} else if forms[i] != 0 {
				t.Fatal("a mandatory part is not whole")
			}
		}
		if err != nil {
			if must <= budget {
				t.Fatalf("%v though it holds the mandatory part, %d", err, must)
			}
			continue
		}
		if sum > budget {
			t.Fatalf("%d tokens in a budget of %d: %v", sum, budget, forms)
		}
		limits := map[string]int{}
		for _, s := range shares {
			if s.Max != 0 {
				limits[s.Section] = max(s.Max, 0)
			}
		}
		for name, limit := range limits {
			if used[name] > limit {
				t.Fatalf("section %s has %d tokens, its limit is %d", name, used[name], limit)
			}
		}
		room = budget - sum
		for i, p := range parts { // nothing that fits is left out
			limit, ok := limits[p.Section]
			for _, size := range p.Forms {
				if p.Class != Mandatory && forms[i] == LeftOut && size <= room &&
					(!ok || used[p.Section]+size <= limit) {
					t.Fatalf("part %d of %d tokens is out though %d are left", i, size, room)
				}
			}
		}
		again, _ := Fit(budget, parts, shares)
		if !slices.Equal(forms, again) {
			t.Fatal("the same problem has two answers")
		}
	}
	if kept < 5000 {
		t.Fatalf("only %d parts were kept: is this a test?", kept)
	}
}

func TestNeededIsABudgetThatHelps(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(2))
	helped := 0
	for range 500 {
		budget, parts, shares := problem(r)
		forms, err := Fit(budget, parts, shares)
		if err != nil {
			continue
		}
		for i := range parts {
			n := BudgetFor(budget, parts, shares, forms, i)
			if n == 0 {
				continue
			}
			got, err := Fit(n, parts, shares)
			if err != nil || n <= budget || got[i] == LeftOut || forms[i] != LeftOut && got[i] >= forms[i] {
				t.Fatalf("with %d in place of %d part %d has form %v (%v), before %v", n, budget, i, got[i],
					err, forms[i])
			}
			helped++
		}
	}
	if helped < 50 {
		t.Fatalf("%d cases only", helped)
	}
}

func BenchmarkFit(b *testing.B) {
	r := rand.New(rand.NewSource(3))
	budget, parts, shares := problem(r)
	for len(parts) < 25 {
		budget, parts, shares = problem(r)
	}
	for b.Loop() {
		if _, err := Fit(budget+10_000, parts, shares); err != nil {
			b.Fatal(err)
		}
	}
}
