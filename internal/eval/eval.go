// Package eval measures answers against the files that are known to be right.
//
// A file of questions holds a JSON object a line: "id", "query", and what answers it, "relevant" and "secondary", each
// a list of {"path", "start", "end"} (lines from 1, both optional). Paths may be relative to a folder above or below
// the one that is searched: two paths are the same file when one ends in the other. [Score] gives the measures of one
// answer:
//
//	ndcg    NDCG over the first ten results: 1 when everything right comes first
//	recall  share of the right files among the first one, five, ten distinct files
//	mrr     1 / place of the first right file
//
// and [Summarize] their means with 95 % confidence intervals, by resampling the questions.
package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// maxLine bounds a line of a file of questions, in bytes.
const maxLine = 4 << 20

// Depth is the number of results that NDCG looks at.
const Depth = 10

// Place is a piece of a file, or a whole file where Start or End is 0.
type Place struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Question is one question with what answers it.
type Question struct {
	ID        string  `json:"id"`
	Query     string  `json:"query"`
	Relevant  []Place `json:"relevant"`
	Secondary []Place `json:"secondary"`
}

// Read reads a file of questions. Blank lines are skipped; a question without text or without an answer is an error.
func Read(r io.Reader) ([]Question, error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	var out []Question
	for line := 1; s.Scan(); line++ {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		var q Question
		if err := json.Unmarshal(s.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("line %d: want a JSON object: %w", line, err)
		}
		switch {
		case q.Query == "":
			return nil, fmt.Errorf("line %d: want a \"query\"", line)
		case len(q.Relevant)+len(q.Secondary) == 0:
			return nil, fmt.Errorf("line %d: want a \"relevant\" path", line)
		}
		if q.ID == "" {
			q.ID = fmt.Sprint(line)
		}
		out = append(out, q)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	return out, nil
}

// Measures tell how good an answer is; each from 0 to 1.
type Measures struct {
	NDCG     float64 `json:"ndcg@10"`
	Recall1  float64 `json:"recall@1"`
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	MRR      float64 `json:"mrr"`
}

// Score measures an answer, best result first. Of several results for one target the first counts.
func Score(q Question, results []Place) Measures {
	targets := append(append([]Place{}, q.Relevant...), q.Secondary...)
	hit := make(map[int]bool) // places among the results that are the first for a target
	for _, t := range targets {
		for i, r := range results[:min(len(results), Depth)] {
			if same(r.Path, t.Path) && overlap(r, t) {
				hit[i] = true
				break
			}
		}
	}
	var m Measures
	ideal := 0.0
	for i := range min(len(targets), Depth) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i := range hit {
		m.NDCG += 1 / math.Log2(float64(i)+2)
	}
	m.NDCG /= max(ideal, 1e-9)
	m.files(targets, results)
	return m
}

// files fills what counts files only.
func (m *Measures) files(targets, results []Place) {
	var files, want []string
	add := func(list []string, path string) []string {
		if slices.Contains(list, path) {
			return list
		}
		return append(list, path)
	}
	for _, r := range results {
		files = add(files, r.Path)
	}
	for _, t := range targets {
		want = add(want, t.Path)
	}
	each := 1 / float64(max(len(want), 1))
	for _, w := range want {
		for i, f := range files {
			if !same(f, w) {
				continue
			}
			if i < 1 {
				m.Recall1 += each
			}
			if i < 5 {
				m.Recall5 += each
			}
			if i < 10 {
				m.Recall10 += each
			}
			m.MRR = max(m.MRR, 1/float64(i+1))
			break
		}
	}
}

func same(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

func overlap(r, t Place) bool {
	if r.Start == 0 || r.End == 0 || t.Start == 0 || t.End == 0 {
		return true
	}
	return r.End >= t.Start && r.Start <= t.End
}
