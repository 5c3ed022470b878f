package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// fleet is a collection of files that differ in their words a little, and cosines for their chunks.
func fleet(rng *rand.Rand, n int) (files []*code.File, cosines [][]float32) {
	vocabulary := []string{"harbour", "log", "berth", "pilot", "quay", "tide", "crane", "rope"}
	for i := range n {
		var chunks [][]string
		var cos []float32
		for range 1 + rng.IntN(5) {
			var words []string
			for range 3 + rng.IntN(6) {
				words = append(words, vocabulary[rng.IntN(len(vocabulary))])
			}
			chunks, cos = append(chunks, words), append(cos, float32(.02+.5*rng.Float64()))
		}
		files, cosines = append(files, file(fmt.Sprintf("port/f%02d.go", i), chunks...)), append(cosines, cos)
	}
	return files, cosines
}

// ask ranks files by a question with the cosines that an embedder of that name gave.
func ask(t *testing.T, question, embedder string, files []*code.File, cosines [][]float32) []Scored {
	t.Helper()
	q := Parse(question)
	q.Embedder = embedder
	stats, in := candidates(t, q, files...)
	for i := range cosines {
		in[i].Cosines = cosines[i]
	}
	return Score(q, stats, in)
}

// mapped are numbers times a plus b.
func mapped(x [][]float32, a, b float32) (out [][]float32) {
	for _, row := range x {
		var r []float32
		for _, v := range row {
			r = append(r, a*v+b)
		}
		out = append(out, r)
	}
	return out
}

var fleetQuestions = []string{"where is the harbour log kept", "fix the berth of the pilot",
	"crane rope strength zyxwvut", "harbour"}

func TestAnAnswerDoesNotDependOnHowAnUnknownEmbedderSpreadsItsCosines(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		files, cosines := fleet(rng, 2+rng.IntN(40))
		for _, question := range fleetQuestions {
			want := ask(t, question, "openai/m", files, cosines)
			for _, by := range [][2]float32{{.2, .7}, {.6, .3}, {1.4, -.3}, {.1, -.9}, {.06, .9}} {
				got := ask(t, question, "openai/n", files, mapped(cosines, by[0], by[1]))
				scores := make(map[int]float64)
				for _, x := range want {
					scores[x.File] = x.Score
				}
				for i, g := range got {
					w := want[i]
					if math.Abs(g.Score-w.Score) > 1e-3 || math.Abs(g.Score-scores[g.File]) > 1e-3 ||
						math.Abs(g.Relevance-w.Relevance) > 1e-3 {
						t.Fatalf("%q, cosines times %v plus %v, place %d: %+v, want %+v", question, by[0],
							by[1], i, g, w)
					}
				}
			}
		}
	}
}

func TestCosinesThatTellNothingAreAsGoodAsNone(t *testing.T) {
	t.Parallel()
	files, _ := fleet(rand.New(rand.NewPCG(1, 2)), 12)
	nan := float32(math.NaN())
	for name, x := range map[string]float32{
		"all equal":  .8,
		"no vectors": 0,
		"no numbers": nan,
		"infinite":   float32(math.Inf(1)),
	} {
		cosines := make([][]float32, len(files))
		for i, f := range files {
			for range f.Chunks {
				cosines[i] = append(cosines[i], x)
			}
		}
		checkSame(t, name, ask(t, fleetQuestions[0], "openai/m", files, cosines),
			ask(t, fleetQuestions[0], "", files, nil))
	}
	one := make([][]float32, len(files))
	one[3] = []float32{.9, .9, .9, .9, .9}[:len(files[3].Chunks)]
	checkSame(t, "one candidate with vectors", ask(t, fleetQuestions[0], "openai/m", files, one),
		ask(t, fleetQuestions[0], "", files, nil))
}

func checkSame(t *testing.T, name string, got, want []Scored) {
	t.Helper()
	for i := range want {
		if got[i].File != want[i].File || got[i].Score != want[i].Score || got[i].Relevance != want[i].Relevance {
			t.Errorf("%s: place %d is %+v, want %+v", name, i, got[i], want[i])
		}
	}
}

func TestAFileWithoutVectorsStandsAmongThoseThatHaveThem(t *testing.T) {
	t.Parallel()
	var files []*code.File
	var cosines [][]float32
	for i := range 9 {
		files = append(files, file(fmt.Sprintf("f%d.go", i), []string{"harbour", "log"}))
		cosines = append(cosines, []float32{.70 + .02*float32(i)})
	}
	for name, lacks := range map[string][]float32{"nil": nil, "zero": {0}, "no number": {float32(math.NaN())}} {
		cosines[4] = lacks
		for i, x := range ask(t, "where is the harbour log kept", "openai/m", files, cosines) {
			if x.File == 4 && (i < 3 || i > 5) {
				t.Errorf("%s: it is number %d of %d", name, i+1, len(files))
			}
			if math.IsNaN(x.Score) || math.IsNaN(x.Relevance) {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
}

func TestNoCosineOfAnUnknownEmbedderCountsAsNearerThanUsual(t *testing.T) {
	t.Parallel()
	q := Parse("where is the harbour log kept")
	q.Embedder = "openai/m"
	s := newScorer(q, code.Stats{})
	far, near := row{}, row{}
	far.v[cosine], far.v[cosineFile], far.v[cosineTop] = -.1, -.2, -.1
	near.v[cosine], near.v[cosineFile], near.v[cosineTop] = .9, .8, .9
	usual := usualCosines[0].usual
	if best, correction := s.believed(&near, true); best != usual || correction >= 0 {
		t.Errorf("of a near one %v is believed, with %v on the score", best, correction)
	}
	if best, correction := s.believed(&far, true); best != far.v[cosine] || correction != 0 {
		t.Errorf("of a far one %v is believed, with %v on the score", best, correction)
	}
	q.Embedder = FittedTo
	if best, correction := s.believed(&near, true); best != near.v[cosine] || correction != 0 {
		t.Errorf("of the embedder that is known %v is believed, with %v on the score", best, correction)
	}
}

func TestCosinesThatTheWeightsWereFittedToStayAsTheyAre(t *testing.T) {
	t.Parallel()
	files, cosines := fleet(rand.New(rand.NewPCG(3, 4)), 20)
	for _, x := range ask(t, fleetQuestions[0], FittedTo, files, cosines) {
		top := float32(0)
		for _, c := range cosines[x.File] {
			top = max(top, c)
		}
		for _, c := range x.Explanation {
			if c.Feature == "cosine" && math.Abs(c.Value-float64(top)) > 1e-4 {
				t.Errorf("%s has cosine %v, want %v", files[x.File].Path, c.Value, top)
			}
		}
	}
	before := mapped(cosines, 1, 0)
	ask(t, fleetQuestions[0], "openai/m", files, cosines)
	for i := range cosines {
		for k := range cosines[i] {
			if cosines[i][k] != before[i][k] {
				t.Fatal("the caller's cosines were changed")
			}
		}
	}
}

func FuzzLevel(f *testing.F) {
	f.Add(float32(.8), float32(.81), float32(.9), float32(0))
	f.Add(float32(math.NaN()), float32(math.Inf(-1)), float32(math.MaxFloat32), float32(-math.MaxFloat32))
	f.Fuzz(func(t *testing.T, a, b, c, d float32) {
		files := []*code.File{file("a.go", []string{"harbour"}, []string{"log"}), file("b.go", []string{"harbour"}),
			file("c.go", []string{"log"})}
		for i, x := range ask(t, "the harbour log", "openai/m", files, [][]float32{{a, b}, {c}, {d}}) {
			if math.IsNaN(x.Score) || math.IsInf(x.Score, 0) || !(x.Relevance >= 0 && x.Relevance <= 1) {
				t.Fatalf("place %d: %+v", i, x)
			}
		}
	})
}
