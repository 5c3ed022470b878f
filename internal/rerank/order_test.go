package rerank

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReplyIsAnOrderOfNumbersAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reply string
		want        []int // nil: refused
	}{
		{"commas", "3, 1,2,4", []int{2, 0, 1, 3}},
		{"a list", "[4,3,2,1]", []int{3, 2, 1, 0}},
		{"a fence", "```json\n[2, 1, 3, 4]\n```", []int{1, 0, 2, 3}},
		{"lines", "2\r\n1\n4\n3\n", []int{1, 0, 3, 2}},
		{"signs", "2 > 1 > 4 > 3", []int{1, 0, 3, 2}},
		{"a part is completed", "3", []int{2, 0, 1, 3}},
		{"leading zeros", "02,1", []int{1, 0, 2, 3}},
		{"nothing", "", nil},
		{"no number", "[ , ]", nil},
		{"a number twice", "1,2,1", nil},
		{"a number of no candidate", "1,2,5", nil},
		{"zero", "0,1,2", nil},
		{"a number beyond all bounds", "1," + strings.Repeat("9", 400), nil},
		{"a negative number", "-1,2", nil},
		{"a sentence", "The best is 3", nil},
		{"digits of other scripts", "١,٢", nil},
		{"longer than a reply may be", "1" + strings.Repeat(" ", maxReply), nil},
		{"no UTF-8", "1,\xff2", nil},
	} {
		got, err := Parse(c.reply, 4)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) || err != nil && !errors.Is(err, ErrReply) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func FuzzParseIsAPermutationOrAnError(f *testing.F) {
	for _, s := range []string{"1,2,3", "[3]", "```json\n[1]\n```", "", "99999999999999999999", "1 1", "```", "a"} {
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, reply string, size uint8) {
		n := int(size % (MaxCandidates + 1))
		got, err := Parse(reply, n)
		if err != nil {
			if !errors.Is(err, ErrReply) || got != nil {
				t.Fatalf("%q: %v, %v", reply, got, err)
			}
			return
		}
		slices.Sort(got)
		for i, at := range got {
			if at != i {
				t.Fatalf("%q of %d: %v", reply, n, got)
			}
		}
		if len(got) != n {
			t.Fatalf("%q of %d: %v", reply, n, got)
		}
	})
}
