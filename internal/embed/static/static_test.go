package static

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
)

type reference struct {
	Kind, Path, Text string
	Vector           []float32
}

func references(t testing.TB) (cases []reference) {
	f, err := os.Open("testdata/vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bufio.NewReader(z)); dec.More(); {
		var c reference
		if err := dec.Decode(&c); err != nil {
			t.Fatal(err)
		}
		if len(c.Vector) == 0 {
			c.Vector = make([]float32, Dims)
		}
		cases = append(cases, c)
	}
	if len(cases) != 60 {
		t.Fatalf("testdata holds %d reference vectors, want 60", len(cases))
	}
	return cases
}

func fresh(t testing.TB) *Embedder {
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func query(t testing.TB, e *Embedder, text string) []float32 {
	v, err := e.Query(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func document(t testing.TB, e *Embedder, text embed.Text) []float32 {
	v, err := e.Documents(context.Background(), []embed.Text{text})
	if err != nil || len(v) != 1 {
		t.Fatalf("Documents = %d vectors, %v", len(v), err)
	}
	return v[0]
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// near fails the test unless got has the values of want, within 1e-3.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != Dims || len(want) != Dims {
		t.Fatalf("%s: %d and %d dimensions", what, len(got), len(want))
	}
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-3 {
			t.Fatalf("%s: dimension %d is %.5f, want %.5f", what, i, got[i], want[i])
		}
	}
}

// The fingerprint must change with the table: vectors of two tables may never be compared.
func TestNameBelongsToTheTable(t *testing.T) {
	t.Parallel()
	const want = "62ad2e44e89815a8d26133685d9cd522c27799d3932d1b7b8db902c2cdd200f6"
	if sum := sha256.Sum256(tableFile); hex.EncodeToString(sum[:]) != want {
		t.Errorf("the table's SHA-256 is %x: give it a name of its own, then change the sum here", sum)
	}
	if e := fresh(t); e.Name() != "static/code-static-20261127" || e.Dims() != 256 {
		t.Errorf("Name, Dims = %q, %d", e.Name(), e.Dims())
	}
}

func TestVectorsEqualTheReference(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	for _, c := range references(t) {
		if c.Kind == "document" {
			near(t, c.Path, document(t, e, embed.Text{Path: c.Path, Body: c.Text}), c.Vector)
		} else {
			near(t, c.Text, query(t, e, c.Text), c.Vector)
		}
	}
}

func equalVectors(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// A batch is the sum of its texts: nothing of one text shows in the next, whatever the identifier cache holds.
func TestBatchEqualsOneByOne(t *testing.T) {
	t.Parallel()
	var texts []embed.Text
	for _, c := range references(t) {
		texts = append(texts, embed.Text{Path: c.Path, Body: c.Text,
			Names: strings.Fields(c.Text)[:min(2, len(strings.Fields(c.Text)))]})
	}
	batch, err := fresh(t).Documents(context.Background(), texts)
	if err != nil || len(batch) != len(texts) {
		t.Fatalf("Documents = %d vectors, %v", len(batch), err)
	}
	for i, x := range texts {
		if !equalVectors(batch[i], document(t, fresh(t), x)) {
			t.Errorf("text %d (%q) has another vector alone than in the batch", i, x.Path)
		}
	}
}

func TestDefinedNamesWeighFiveMore(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	got := document(t, e, embed.Text{Path: "a/b.go", Body: "the toll of a ship",
		Names: []string{"computeToll", "Toll"}})
	body := "the toll of a ship " + strings.Repeat("compute ", 5) + strings.Repeat("toll ", 10)
	near(t, "names", got, document(t, e, embed.Text{Path: "a/b.go", Body: body}))
}

func TestPathCountsItsLastEightWordsFourTimes(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	got := document(t, e, embed.Text{Path: "server/client/zzqx/index/query/token/user/file/read_cache.test.go"})
	last := "zzqx index query token user file read cache test"
	want := strings.Repeat(strings.TrimPrefix(last, "zzqx ")+" ", 4)
	near(t, "path", got, document(t, e, embed.Text{Body: want}))
}

func TestTitleOfALongQuestionCounts(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	head := "upload retries ignore the timeout"
	body := strings.Repeat("we run postgres with many tables and the planner picks an index scan on every query\n", 6)
	long, title := query(t, e, head+"\n\n"+body), query(t, e, head)
	flat := query(t, e, head+" "+strings.ReplaceAll(body, "\n", " "))
	if dot(long, title) < .75 || dot(long, title) < dot(flat, title)+.1 {
		t.Errorf("similarity to the title is %.2f with a title line and %.2f without", dot(long, title),
			dot(flat, title))
	}
	if short := query(t, e, head+"\n\nplease"); dot(short, query(t, e, head+" please")) < .999 {
		t.Error("a short question of two lines is not what the same words on one line are")
	}
}

func TestRelatedTextsAreNearer(t *testing.T) {
	t.Parallel()
	e := fresh(t)
	q := query(t, e, "verify the signature of a json web token")
	yes := document(t, e, embed.Text{Path: "auth/jwt.go",
		Body: "func Verify(token string, key *rsa.PublicKey) (Claims, error)", Names: []string{"Verify"}})
	no := document(t, e, embed.Text{Path: "ui/table.go", Body: "func drawRow(width int, cells []string) string",
		Names: []string{"drawRow"}})
	if dot(q, yes) < dot(q, no)+.3 {
		t.Errorf("cosines %.2f and %.2f", dot(q, yes), dot(q, no))
	}
}

func TestDocumentsStopWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v, err := fresh(t).Documents(ctx, make([]embed.Text, 3)); err != context.Canceled || v != nil {
		t.Errorf("Documents = %v, %v", v, err)
	}
}

func TestEmbedderIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	e, cases := fresh(t), references(t)
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for _, c := range cases {
				if c.Kind == "query" {
					near(t, c.Text, query(t, e, c.Text), c.Vector)
				} else {
					near(t, c.Path, document(t, e, embed.Text{Path: c.Path, Body: c.Text}), c.Vector)
				}
			}
		})
	}
}

// Any text has a vector of length 1 or the zero vector.
func FuzzVectorIsUnitOrZero(f *testing.F) {
	for _, s := range []string{
		"", "_", "getUserById", "naïve 2fa \x00\xff", strings.Repeat("aB1_", 300),
		"A title\n" + strings.Repeat("word ", 60),
	} {
		f.Add(s, "a/b.go", "Name")
	}
	e := fresh(f)
	f.Fuzz(func(t *testing.T, text, path, name string) {
		if len(text) > 1<<12 {
			return
		}
		for _, v := range [][]float32{
			query(t, e, text), document(t, e, embed.Text{Path: path, Body: text, Names: []string{name}}),
		} {
			if n := dot(v, v); n != 0 && math.Abs(n-1) > 1e-5 {
				t.Errorf("squared length %v", n)
			}
		}
	})
}
