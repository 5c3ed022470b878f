package redisearch

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestSearchReplies(t *testing.T) {
	t.Parallel()
	type list = []any
	for _, tc := range []struct {
		name   string
		reply  any
		scores bool
		total  int
		paths  []string
		bad    bool
	}{
		{name: "count only", reply: list{int64(7)}, total: 7},
		{name: "none", reply: list{int64(0)}},
		{name: "fields", reply: list{int64(2), "c:1", list{"p", "a.go", "d", "0.25"}, "c:2", list{"d", "0.5", "p", "b.go"}}, total: 2, paths: []string{"a.go", "b.go"}},
		{name: "scores", reply: list{int64(1), "c:1", "1.5", list{"p", "a.go"}}, scores: true, total: 1, paths: []string{"a.go"}},
		{name: "deleted meanwhile", reply: list{int64(2), "c:1", nil, "c:2", list{"p", "b.go"}}, total: 2, paths: []string{"b.go"}},
		{name: "deleted meanwhile, scores", reply: list{int64(1), "c:1", "0", nil}, scores: true, total: 1},
		{name: "without a path", reply: list{int64(1), "c:1", list{}}, total: 1},
		{name: "nil", reply: nil, bad: true},
		{name: "empty", reply: list{}, bad: true},
		{name: "a map", reply: map[any]any{"total_results": int64(1)}, bad: true},
		{name: "no number", reply: list{"x"}, bad: true},
		{name: "odd length", reply: list{int64(1), "c:1"}, bad: true},
		{name: "another key", reply: list{int64(1), "other", list{"p", "a.go"}}, bad: true},
		{name: "no distance", reply: list{int64(1), "c:1", list{"p", "a.go", "d", "near"}}, bad: true},
		{name: "no score", reply: list{int64(1), "c:1", "nan", list{"p", "a.go"}}, scores: true, bad: true},
	} {
		total, hits, err := parseSearch(tc.reply, "c:", tc.scores)
		var paths []string
		for _, h := range hits {
			paths = append(paths, h.path)
		}
		if (err != nil) != tc.bad || err != nil && !errors.Is(err, errReply) || total != tc.total || !slices.Equal(paths, tc.paths) {
			t.Errorf("%s: %d, %v, %v", tc.name, total, paths, err)
		}
	}
	for _, tc := range []struct {
		reply any
		want  info
	}{
		{list{"num_docs", "10", "hash_indexing_failures", "2"}, info{12, false}},
		{list{"num_docs", "12", "indexing", "1", "percent_indexed", "0.5"}, info{12, true}},
		{list{"num_docs", int64(12), "indexing", int64(0)}, info{12, false}},
		{list{"num_docs", "12", "backfill_in_progress", "1"}, info{12, true}},
		{map[any]any{"num_docs": float64(3), "indexing": float64(0)}, info{3, false}},
		{list{"num_docs"}, info{}}, {nil, info{}}, {list{list{}, nil}, info{}},
	} {
		if got := parseInfo(tc.reply); got != tc.want {
			t.Errorf("info of %v: %+v, want %+v", tc.reply, got, tc.want)
		}
	}
}

// value builds a reply of nested lists from bytes.
func value(b *[]byte, depth int) any {
	if len(*b) == 0 {
		return nil
	}
	c := (*b)[0]
	*b = (*b)[1:]
	n := int(c >> 3)
	switch c & 7 {
	case 0:
		return nil
	case 1:
		return int64(n)
	case 2:
		return float64(n) / 3
	case 3, 4:
		return []string{"p", "d", "c:1", "a.go", "0.5", "nan", "num_docs", "indexing", ""}[n%9]
	case 5:
		n = min(n, len(*b))
		s := string((*b)[:n])
		*b = (*b)[n:]
		return s
	}
	if depth > 4 {
		return errors.New("too deep")
	}
	var list []any
	for range n {
		list = append(list, value(b, depth+1))
	}
	return list
}

func FuzzSearchReply(f *testing.F) {
	f.Add([]byte{3<<3 | 6, 1<<3 | 1, 2<<3 | 3, 2<<3 | 6, 3, 3<<3 | 3})
	f.Add([]byte("\x30\x09\x13\x26\x1b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		reply := value(&b, 0)
		for _, scores := range []bool{false, true} {
			total, hits, err := parseSearch(reply, "c:", scores)
			if total < 0 || err != nil && (len(hits) > 0 || !errors.Is(err, errReply)) {
				t.Errorf("%d, %v, %v", total, hits, err)
			}
			for _, h := range hits {
				if h.path == "" || h.id == "" || h.score != h.score {
					t.Errorf("hit %+v", h)
				}
			}
			sortHits(hits, scores)
		}
		if in := parseInfo(reply); in.docs < 0 {
			t.Errorf("info %+v", in)
		}
	})
}

func FuzzEntry(f *testing.F) {
	s := stored{Entry: search.Entry{Path: "a.go", Size: 1, MTime: -5, Inode: 1<<64 - 1, Skip: code.Binary, Detail: "NUL", Language: "go", Chunks: 2}, seq: 4, ids: make([]chunkID, 2)}
	f.Add(string(s.encode()))
	f.Add("\x01")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := decodeEntry("a.go", text)
		if err != nil {
			return
		}
		again, err := decodeEntry("a.go", string(e.encode()))
		if err != nil || again.Entry != e.Entry || again.seq != e.seq || !slices.Equal(again.ids, e.ids) {
			t.Errorf("%+v became %+v, %v", e, again, err)
		}
	})
}

func FuzzBlob(f *testing.F) {
	doc := source("a.go", "alpha", "beta")
	f.Add(encodeBlob(doc.File, doc.Vectors, dims), 2)
	f.Add(binary.AppendUvarint(nil, 1<<40), 1)
	f.Fuzz(func(t *testing.T, packed []byte, n int) {
		if n < 0 || n > 1000 {
			return
		}
		_, cosines, err := decodeBlob(string(packed), n, vectorOf("q", dims))
		if err == nil && cosines != nil && len(cosines) != n {
			t.Errorf("%d cosines for %d chunks", len(cosines), n)
		}
		language, ids := decodeName(nil, string(packed))
		if len(language) > len(packed) || len(ids) > len(packed) {
			t.Error("a name longer than its value")
		}
	})
}

func TestBlobsComeBack(t *testing.T) {
	t.Parallel()
	doc := source("a.go", "alpha", "beta", "gamma")
	packed := encodeBlob(doc.File, doc.Vectors, dims)
	features, cosines, err := decodeBlob(string(packed), 3, vectorOf("beta", dims))
	if err != nil || features != string(blob.EncodeFeatures(doc.File)) || len(cosines) != 3 || cosines[1] < 0.999 {
		t.Errorf("%v, %v", cosines, err)
	}
	if _, c, err := decodeBlob(string(packed), 3, nil); c != nil || err != nil {
		t.Errorf("without a query: %v, %v", c, err)
	}
	if _, _, err := decodeBlob(string(packed), 2, vectorOf("beta", dims)); !errors.Is(err, errBlob) {
		t.Errorf("for another number of chunks: %v", err)
	}
}
