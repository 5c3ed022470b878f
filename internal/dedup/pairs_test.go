package dedup

import (
	"os"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
)

// withVectors compares by the vectors of the embedder in the binary.
func withVectors(t *testing.T) Embedder {
	t.Helper()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	return func(texts []string) ([][]float32, error) {
		docs := make([]embed.Text, len(texts))
		for i, text := range texts {
			docs[i].Body = text
		}
		return e.Documents(t.Context(), docs)
	}
}

func TestContradictionsAreKeptAndRepetitionsDropped(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	const filler = "Let me look at the build first. The linter complains about an unused import."
	for name, embed := range map[string]Embedder{"words": nil, "vectors": withVectors(t)} {
		for where, around := range map[string][2]string{"alone": {}, "inside": {filler + " ", " " + filler}} {
			if name == "vectors" && where == "inside" {
				continue // a vector is of the whole message
			}
			all, right := map[string]int{}, map[string]int{}
			for line := range strings.Lines(string(file)) {
				fields := strings.Split(strings.TrimSpace(line), "\t")
				if len(fields) != 3 {
					continue
				}
				all[fields[0]]++
				v := FindRedundant([]string{fields[1]}, say(around[0]+fields[2]+around[1]), Options{},
					embed).Verdicts[0]
				if v.Redundant == (fields[0] == "same") {
					right[fields[0]]++
				} else {
					t.Logf("%s, %s: %+v: %q, %q", name, where, v, fields[1], fields[2])
				}
			}
			for _, kind := range []string{"same", "other"} {
				if all[kind] != 30 || right[kind] < 27 {
					t.Errorf("%s, %s: %d of %d pairs of the kind %q are right", name, where, right[kind],
						all[kind], kind)
				}
			}
		}
	}
}

func FuzzAgrees(f *testing.F) {
	for _, s := range []string{
		"Do not retry.", "db-2 ES256 10:05 don't’s", "parseConfigİ_-x 30s 1.5.", "a.b/c:d", "\xff. \n;。",
	} {
		f.Add(s, s+" always")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		agrees(claims(a), claims(b))
		if said := claims(a); len(said) > 0 && !agrees(said, said) {
			t.Errorf("%q does not agree with itself", a)
		}
	})
}
