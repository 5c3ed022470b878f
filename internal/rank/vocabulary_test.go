package rank

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestAVocabularyKnowsANameAsItWasTakenApart(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	for _, again := range []bool{false, true} {
		for _, name := range []string{
			"renewLease", "RENEW_LEASE", "x", "", "_", "get", "gets", "größeÜber", "日本語", "aBcDeFgHiJkLmNoP",
			"HTTPServer2", "__init__", "K\u212a",
		} {
			var want []string
			lexical.Split(name, func(p string) { want = append(want, p) })
			known := v.names[v.name(name)]
			var got []string
			for _, id := range v.list[known.from:known.to] {
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
			if !slices.Equal(got, want) || known.term != whole || known.name != name {
				t.Errorf("%q, known %v: parts %q and term %d, want %q and %d", name, again, got, known.term,
					want, whole)
			}
		}
	}
}

func TestAPartHasOneNumberHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	for _, again := range []bool{false, true} {
		for i := range 5000 { // the table grows on the way
			word := fmt.Sprintf("part%dé", i)[:len("part")+len(fmt.Sprint(i))+2*(i%2)]
			for _, written := range []string{word, strings.ToUpper(word[:1]) + word[1:], strings.ToUpper(word)} {
				if id := v.part(written); id != int32(i) || v.parts[id].text != word {
					t.Fatalf("%q, known %v: number %d, want %d; it is %q", written, again, id, i, v.parts[id].text)
				}
			}
		}
	}
}

func TestAVocabularyIsBounded(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	v.used = true
	long := file("a.go", []string{"word"})
	for i := range 2000 {
		define(long, 0, fmt.Sprintf("Name%dof%d", i, i), code.KindFunc)
	}
	packed := string(blob.EncodeFeatures(long))
	feats, err := blob.LookupFeatures(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; v.size <= maxVocabulary; i++ {
		if i == 10_000 {
			t.Fatalf("it holds %d files and counts %d bytes", len(v.files), v.size)
		}
		// Another blob each time; only its sum is looked at.
		if ids := v.file(&File{Features: feats, Blob: fmt.Sprint(i)}, 2000); len(ids) != 2000 {
			t.Fatalf("%d names of 2000", len(ids))
		}
	}
	v.begin()
	if len(v.files)+len(v.names)+len(v.parts)+len(v.fits)+len(v.forms)+v.size > 0 {
		t.Errorf("%d files, %d names and %d parts are kept", len(v.files), len(v.names), len(v.parts))
	}
}

// What a question costs when it is the only one is no more than it was.
func TestAProcessThatAsksOneQuestionRemembersNothing(t *testing.T) {
	t.Parallel()
	v := newVocabulary()
	if ids := v.file(&File{Features: &blob.Features{}, Blob: "x"}, 3); ids != nil || len(v.files) > 0 {
		t.Errorf("%v, %d files", ids, len(v.files))
	}
}

// Scores do not depend on what the process was asked before.
func TestScoresAreTheSameInANewProcessAndInAnOldOne(t *testing.T) {
	t.Parallel()
	ask := func() [][]Scored {
		var all [][]Scored
		for _, question := range []string{
			"how is the lease renewed", "RenewLease", "fix the renewal of leases", "worker pool",
		} {
			all = append(all, score(t, question,
				define(file("queue/lease.go", []string{"renew", "lease"}), 0, "RenewLease", code.KindFunc),
				define(file("pool/worker.go", []string{"lease", "RenewLease"}), 0, "WorkerPool", code.KindType),
				file("docs/leases.md", []string{"leases", "renewed"})))
		}
		return all
	}
	first := ask() // in parallel with other tests: whatever vocabulary is idle, or a new one
	for range 3 {
		if again := ask(); !reflect.DeepEqual(again, first) {
			t.Fatalf("%+v\nbecame %+v", first, again)
		}
	}
}
