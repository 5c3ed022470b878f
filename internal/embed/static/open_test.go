package static

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
)

// written is a table in the format that the package comment tells: row i is scale times a code of i+1 and j%5-2 by
// turns.
func written(words ...string) []byte {
	data := []byte("CSE1")
	vocabulary := strings.Join(words, "\n")
	for _, n := range []int{len(words), Dims, 8, len(vocabulary)} {
		data = binary.LittleEndian.AppendUint32(data, uint32(n))
	}
	data = append(data, vocabulary...)
	for i := range words {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(.01*float32(i+1)))
	}
	for i := range words {
		for j := range Dims {
			data = append(data, byte(int8((j%5-2)*(i+1)+j%3)))
		}
	}
	return data
}

func TestOpenReadsAnotherTable(t *testing.T) {
	t.Parallel()
	e, err := Open(written("parse", "http", "256"))
	if err != nil {
		t.Fatal(err)
	}
	var want [Dims]float32
	square := 0.0
	for j := range want {
		// parse twice, http once, 256 four times by the path
		for i, n := range []float64{2, 1, 4} {
			want[j] += float32(math.Sqrt(n) * .01 * float64(i+1) * float64((j%5-2)*(i+1)+j%3))
		}
		square += float64(want[j]) * float64(want[j])
	}
	for j := range want {
		want[j] /= float32(math.Sqrt(square))
	}
	near(t, "three words", document(t, e, embed.Text{Path: "x/a256.go", Body: "parseHTTP(parse, unknown)"}), want[:])
	other, err := Open(written("parse", "http", "512"))
	if err != nil || e.Name() == other.Name() || e.Name() == fresh(t).Name() ||
		!strings.HasPrefix(e.Name(), "static/") {
		t.Errorf("names %q and %q, %v", e.Name(), other.Name(), err)
	}
}

// The same words by way of Open give the same bits as the table in the binary.
func TestOpenOfTheSameTableChangesNothing(t *testing.T) {
	t.Parallel()
	e, err := Open(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range references(t)[:10] {
		if x := (embed.Text{Path: c.Path, Body: c.Text}); !equalVectors(document(t, e, x), document(t, fresh(t), x)) {
			t.Errorf("%q has another vector", c.Path)
		}
	}
}

func TestOpenWantsAWordForEachRow(t *testing.T) {
	t.Parallel()
	data := written("request", "http")
	data[slices.Index(data, '\n')] = '_'
	if _, err := Open(data); err == nil || !strings.Contains(err.Error(), "want a word for each of 2 rows (got 1)") {
		t.Errorf("error %v", err)
	}
}

func TestPathWordsAreTheLastEight(t *testing.T) {
	t.Parallel()
	got := strings.Join(PathWords("server/client/zzqx/index/query/token/user/file/read_cache.test.go"), " ")
	if got != "index query token user file read cache test" {
		t.Errorf("words %q", got)
	}
	if got := PathWords("a.b/c"); len(got) != 0 {
		t.Errorf("words of a path of letters: %q", got)
	}
}
