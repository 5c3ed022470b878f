package redisearch

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkNominateStored times nominations in an index that is there already, of any size:
//
//	CONTEXTD_BENCH_REDIS=redis://127.0.0.1:6379 CONTEXTD_BENCH_PREFIX=ctx CONTEXTD_BENCH_PROJECT=zig \
//	  go test ./internal/search/redisearch -run '^$' -bench NominateStored -benchtime 500x
func BenchmarkNominateStored(b *testing.B) {
	url := os.Getenv("CONTEXTD_BENCH_REDIS")
	if url == "" {
		b.Skip("CONTEXTD_BENCH_REDIS is not set")
	}
	x, err := Open(Options{URL: url, Prefix: os.Getenv("CONTEXTD_BENCH_PREFIX")})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	s, err := x.Open(ctx, os.Getenv("CONTEXTD_BENCH_PROJECT"))
	if err != nil {
		b.Fatal(err)
	}
	p := s.Project()
	// As they are asked for: without the words that say nothing.
	questions := []string{"certificate server verified", "parse duration", "RoundTrip", "decode png image", "retry backoff failure",
		"read header tar archive", "sort slice strings", "lock many readers hold", "escape html template", "NewReader",
		"goroutines stolen processors", "print error cause"}
	var took []time.Duration
	building := 0
	for i := 0; b.Loop(); i++ {
		text := questions[i%len(questions)]
		q := query(text)
		q.Vector = vectorOf(text, p.Model.Dims)
		began := time.Now()
		n, err := s.Nominate(ctx, q)
		if err != nil || n.Partial || len(n.Files) == 0 {
			b.Fatal(err, n)
		}
		if took = append(took, time.Since(began)); n.VectorsBuilding {
			building++
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(p.Chunks), "chunks")
	b.ReportMetric(float64(building), "vectors-building")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}
