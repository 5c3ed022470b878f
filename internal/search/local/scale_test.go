package local

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// scaleQueries are questions of 2 to 6 words as source code has them, common and rare, each with a vector near to that
// of some chunk.
func scaleQueries(st *state, n int) []search.Query {
	words := strings.Fields("value request handle user name file timer price cache order parse socket payment menofa lock " +
		"token config branch vuvafa result stream of the where is column matrix")
	queries := make([]search.Query, n)
	for i := range queries {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		q := search.Query{Vector: make([]float32, st.head.project.Model.Dims), Files: 100}
		for range 2 + r.IntN(5) {
			w := words[r.IntN(len(words))]
			q.Words = append(q.Words, lexical.Word(lexical.Stem(w)))
			q.Names = append(q.Names, lexical.Name(w))
		}
		for sum := float32(0); sum == 0 && len(q.Vector) > 0; {
			s := st.segs[r.IntN(len(st.segs))]
			v, scale, norm := s.vector(r.Uint32N(s.chunks))
			for k, x := range v {
				q.Vector[k] = float32(x)*scale + float32(r.NormFloat64())*.03
				sum += norm
			}
		}
		queries[i] = q
	}
	return queries
}

// BenchmarkScaleQuery asks the largest project among those of CONTEXTD_BENCH_STATE, the folder "projects" of a state
// directory, whose index it only reads: nomination alone, warm, with the processor time of all cores.
func BenchmarkScaleQuery(b *testing.B) {
	dir := os.Getenv("CONTEXTD_BENCH_STATE")
	if dir == "" {
		b.Skip("CONTEXTD_BENCH_STATE names no folder of projects")
	}
	ix := open(b, dir)
	defer ix.Close()
	projects, err := ix.Projects(b.Context())
	if err != nil || len(projects) == 0 {
		b.Fatal(err)
	}
	p := slices.MaxFunc(projects, func(x, y search.Project) int { return cmp.Compare(x.Chunks, y.Chunks) })
	snap, err := ix.Open(b.Context(), p.ID)
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	queries := scaleQueries(snap.(*snapshot).st, 64)
	ask := func(i int) (took, cpu time.Duration) {
		began, before := time.Now(), cpuTime()
		n, err := snap.Nominate(b.Context(), queries[i%len(queries)])
		if err != nil || len(n.Files) == 0 || n.Partial {
			b.Fatal(n, err)
		}
		return time.Since(began), cpuTime() - before
	}
	ask(0)
	var took, cpu []time.Duration
	for i := 0; b.Loop(); i++ {
		t, c := ask(i)
		took, cpu = append(took, t), append(cpu, c)
	}
	b.ReportMetric(float64(p.Chunks), "chunks")
	slices.Sort(took)
	slices.Sort(cpu)
	for _, p := range []int{50, 99} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
		b.ReportMetric(cpu[len(cpu)*p/100].Seconds()*1000, fmt.Sprintf("p%d-cpu-ms", p))
	}
}
