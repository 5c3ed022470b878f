//go:build unix

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestAChatServerPutsTheAnswersOfTheBinaryInItsOrder(t *testing.T) {
	both(t, func(b *bundle) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct{ Messages []struct{ Content string } }
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) != 2 ||
				!strings.Contains(in.Messages[1].Content, "two.go") {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			_ = json.NewEncoder(w).Encode(
				map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": "2,1"}}}})
		}))
		b.Cleanup(s.Close)
		b.write("one.go", "package quay\n\n// Moor moors ships at the quay in a storm.\nfunc Moor() {}\n")
		b.write("two.go", "package quay\n\n// Anchor holds ships at the quay in a storm.\nfunc Anchor() {}\n")
		b.index()
		ask := func(flags ...string) (paths []string, reranked bool) {
			r, err := b.Exec("retriever", append([]string{"query", "how do ships at the quay stand a storm", "--root",
				b.root, "--json", "--deadline", patient}, flags...)...)
			b.ok(err)
			var out struct {
				Results  []struct{ Path string }
				Reranked bool
			}
			b.ok(json.Unmarshal([]byte(r.Out), &out))
			for _, x := range out.Results {
				paths = append(paths, x.Path)
			}
			return paths, out.Reranked
		}
		before, by := ask()
		after, second := ask("--rerank-url", s.URL, "--rerank-model", "m")
		slices.Reverse(before)
		if by || !second || len(after) != 2 || !slices.Equal(after, before) {
			b.Errorf("reranked %v then %v: %v, want %v", by, second, after, before)
		}
	})
}
