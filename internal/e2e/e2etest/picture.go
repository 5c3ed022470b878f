//go:build unix

package e2etest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Picture is what an index says: its counts and its answers to some questions, as lines of text.
type Picture map[string]string

// Picture asks an index. Answers of equal relevance may come in any order, and the last of them are left out, since
// which of them make the cut may differ.
func (w *World) Picture(root string, questions []string) (Picture, error) {
	pic := Picture{}
	for _, q := range questions {
		r, err := w.Query(root, q, "--deadline", "20s", "--k", "20", "--max-bytes", "100000")
		if err != nil {
			return nil, err
		}
		if r.Status == "degraded" {
			return nil, fmt.Errorf("%q: degraded: %q", q, r.Reasons)
		}
		var rows []string
		for _, s := range r.Results {
			if len(r.Results) < 20 || s.Relevance > r.Results[19].Relevance+.005 {
				rows = append(rows, fmt.Sprintf("%.2f %s:%d-%d %s %s", s.Relevance, s.Path, s.Start, s.End, s.Symbol,
					s.Freshness))
			}
		}
		slices.Sort(rows)
		pic[q] = strings.Join(rows, "\n")
	}
	p, err := w.Project(root)
	if err != nil {
		return nil, err
	}
	pic["counts"] = fmt.Sprintf("%d files, %d chunks", p.Files, p.Chunks)
	return pic, nil
}

// Differs says where p is not want; "" if nowhere.
func (p Picture) Differs(want Picture) string {
	for key, w := range want {
		if p[key] != w {
			return fmt.Sprintf("%s: got\n%s\nwant\n%s", key, p[key], w)
		}
	}
	return ""
}

// EqualsFresh waits until the index of root equals one made from nothing in a twin world.
func (w *World) EqualsFresh(root string, questions []string, within time.Duration) error {
	twin := w.Twin()
	defer twin.Forget()
	if _, err := twin.Index(root); err != nil {
		return fmt.Errorf("make a fresh index: %w", err)
	}
	want, err := twin.Picture(root, questions)
	if err != nil {
		return fmt.Errorf("ask a fresh index: %w", err)
	}
	return Eventually(within, func() error {
		got, err := w.Picture(root, questions)
		if err != nil {
			return err
		}
		if diff := got.Differs(want); diff != "" {
			return fmt.Errorf("the index differs from a fresh one: %s", diff)
		}
		return nil
	})
}

// Forget removes all that this world keeps in its backing.
func (w *World) Forget() {
	_, _ = w.Exec("indexer", "reset", "--yes")
	_ = os.RemoveAll(w.State())
}
