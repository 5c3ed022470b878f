package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
)

// past is the history of one project, as testdata/histories.txt has it.
type past struct {
	project   string
	items     []remark
	questions []wanted
}

type remark struct {
	day              int
	kind, name, text string
}

type wanted struct {
	names []string
	text  string
}

func histories(t *testing.T) (all []past) {
	data, err := os.ReadFile(filepath.Join("testdata", "histories.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			all = append(all, past{project: strings.TrimSpace(line[1:])})
		case line[0] == '?':
			names, text, _ := strings.Cut(line[1:], ": ")
			p := &all[len(all)-1]
			p.questions = append(p.questions, wanted{strings.Fields(names), text})
		default:
			head, text, _ := strings.Cut(line, ": ")
			var n remark
			if _, err := fmt.Sscan(head, &n.day, &n.kind, &n.name); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			n.text = text
			p := &all[len(all)-1]
			p.items = append(p.items, n)
		}
	}
	return all
}

// byTable compares by the table of words in the binary.
type byTable struct{ *static.Embedder }

func (s byTable) Similar(ctx context.Context, query string, items []Item) ([]float64, error) {
	q, err := s.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	texts := make([]embed.Text, len(items))
	for i := range items {
		texts[i].Body = items[i].Content
	}
	vectors, err := s.Documents(ctx, texts)
	if err != nil {
		return nil, err
	}
	cosines := make([]float64, len(items))
	for i, v := range vectors {
		for k := range v {
			cosines[i] += float64(v[k]) * float64(q[k])
		}
	}
	return cosines, nil
}

// TestQuestionsFindWhatAgentsNoted asks 100 questions, in the words that people type, of ten histories on both stores:
// each history alone, and all of them as the memory of one project.
func TestQuestionsFindWhatAgentsNoted(t *testing.T) {
	t.Parallel()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	all, questions := histories(t), 0
	for _, p := range all {
		questions += len(p.questions)
		if n := len(p.items); n < 15 || n > 30 {
			t.Errorf("history %q has %d items, want 15 to 30", p.project, n)
		}
	}
	if len(all) != 10 || questions != 100 {
		t.Fatalf("%d histories with %d questions, want 10 with 100", len(all), questions)
	}
	server := rdbtest.Own(t, rdbtest.Plain)
	path := filepath.Join(t.TempDir(), "documents.db")
	beds := []*bed{newBed(t, func() store.Store {
		return onSQLite(t, path)
	}), newBed(t, func() store.Store { return onRedis(t, server, server.Prefix) })}
	for _, tt := range []struct {
		name     string
		project  func(p past) string
		similar  Similar
		at1, at5 float64
	}{
		{"each alone", func(p past) string { return p.project }, byTable{e}, .77, .93},
		{"all together", func(past) string { return "all" }, byTable{e}, .60, .83},
		{"all together, by words alone", func(past) string { return "all" }, nil, .54, .80},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var orders [][]string
			for _, b := range beds {
				b.o.Similar = tt.similar
				at1, at5, order := ask(t, b, all, tt.project)
				if at1 < tt.at1 || at5 < tt.at5 {
					t.Errorf("recall@1 %.2f, @5 %.2f; want %.2f and %.2f at least", at1, at5, tt.at1, tt.at5)
				}
				t.Logf("recall@1 %.2f, @5 %.2f", at1, at5)
				orders = append(orders, order)
			}
			if !slices.Equal(orders[0], orders[1]) {
				t.Error("the stores answer in different orders")
			}
		})
	}
}

// ask saves the histories and returns the share of questions whose answer comes first and among the first five, and the
// ids of all answers.
func ask(t *testing.T, b *bed, all []past, project func(past) string) (at1, at5 float64, order []string) {
	for _, p := range all {
		who := Who{Agent: "scribe", Project: project(p)}
		ids := map[string]string{}
		for _, n := range p.items {
			b.clock.now = start.Add(time.Duration(n.day) * day)
			ids[n.name] = b.save(who, n.kind, n.text, scoped(ScopeProject)).ID
		}
		for _, q := range p.questions {
			for _, name := range q.names {
				if ids[name] == "" {
					t.Fatalf("%q: no item %q", q.text, name)
				}
			}
		}
	}
	for _, p := range all {
		who := Who{Agent: "scribe", Project: project(p)}
		for _, q := range p.questions {
			hits, err := b.Search(t.Context(), who, q.text, Filter{Limit: 5})
			b.ok(err)
			place := len(hits)
			for i, h := range hits {
				order = append(order, h.ID)
				if slices.ContainsFunc(p.items, func(n remark) bool {
					return n.text == h.Content && slices.Contains(q.names, n.name)
				}) {
					place = min(place, i)
				}
			}
			if place == 0 && len(hits) > 0 {
				at1++
			}
			if place < len(hits) {
				at5++
			} else {
				t.Logf("not found: %s: %s", p.project, q.text)
			}
		}
	}
	return at1 / 100, at5 / 100, order
}
