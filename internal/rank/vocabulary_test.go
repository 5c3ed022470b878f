package rank

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

func TestAVocabularyKnowsANameAsItWasTakenApart(t *testing.T) {
	t.Parallel()
	v := &vocabulary{used: true, turn: 1}
	v.clear()
	for _, again := range []bool{false, true} {
		for _, name := range []string{"renewLease", "RENEW_LEASE", "x", "", "_", "get", "gets", "größeÜber", "日本語", "aBcDeFgHiJkLmNoP", "HTTPServer2", "__init__", "K\u212a"} {
			var want []string
			lexical.Split(name, func(p string) { want = append(want, p) })
			ids, term := v.name(name, nil)
			var got []string
			for _, id := range ids {
				p := v.parts[id]
				got = append(got, p.text)
				if p.stem != lexical.Stem(p.text) || p.term != lexical.Word(p.stem).ID {
					t.Errorf("part %+v", p)
				}
			}
			joined := lexical.Join(name)
			whole := lexical.Word(joined).ID
			switch {
			case len(joined) < 4:
				whole = 0
			case len(want) == 1:
				whole = lexical.Word(lexical.Stem(joined)).ID
			}
			if !slices.Equal(got, want) || term != whole {
				t.Errorf("%q, known %v: parts %q and term %d, want %q and %d", name, again, got, term, want, whole)
			}
		}
	}
}

func TestAVocabularyIsBounded(t *testing.T) {
	t.Parallel()
	v := &vocabulary{used: true, turn: 1}
	v.clear()
	for i := range maxVocabulary + 1 {
		v.name(fmt.Sprintf("name%d", i), nil)
	}
	if v.begin(); len(v.names) > 0 || len(v.parts) > 0 {
		t.Errorf("%d names and %d parts are kept", len(v.names), len(v.parts))
	}
	v.name(strings.Repeat("long", maxVocabularyBytes/4), nil)
	if v.begin(); len(v.names) > 0 || v.bytes > 0 {
		t.Errorf("%d bytes are kept", v.bytes)
	}
}

// Scores do not depend on what the process was asked before.
func TestScoresAreTheSameInANewProcessAndInAnOldOne(t *testing.T) {
	t.Parallel()
	ask := func() [][]Scored {
		var all [][]Scored
		for _, question := range []string{"how is the lease renewed", "RenewLease", "fix the renewal of leases", "worker pool"} {
			all = append(all, score(t, question, define(file("queue/lease.go", []string{"renew", "lease"}), 0, "RenewLease", code.KindFunc),
				define(file("pool/worker.go", []string{"lease", "RenewLease"}), 0, "WorkerPool", code.KindType), file("docs/leases.md", []string{"leases", "renewed"})))
		}
		return all
	}
	first := ask()
	for range 3 {
		if again := ask(); !reflect.DeepEqual(again, first) {
			t.Fatalf("%+v\nbecame %+v", first, again)
		}
	}
}
