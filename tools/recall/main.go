// Command recall measures how much of what was said recall finds again, on conversations in the format of LoCoMo.
//
//	go run ./tools/recall -locomo FILE [-words]
//
// Each turn is saved as a memory of its own (speaker, time, words), each question asked by the product's recall.
// Printed is the share of a question's evidence among the first 5 and 10, means over questions. Questions without
// evidence are left out. The file stays where it is: its licence does not allow it in this repository.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
)

func main() {
	file := flag.String("locomo", "", "file in the format of locomo10.json")
	words := flag.Bool("words", false, "by words alone, without the embedder")
	flag.Parse()
	if err := run(context.Background(), *file, *words); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string, words bool) (err error) {
	if file == "" {
		return fmt.Errorf("want -locomo FILE")
	}
	all, err := read(file)
	if err != nil {
		return err
	}
	state, err := os.MkdirTemp("", "contextd-recall-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	m, done, err := open(state, words)
	if err != nil {
		return err
	}
	defer done()
	var results []result
	for _, c := range all {
		r, err := measure(ctx, m, c)
		if err != nil {
			return fmt.Errorf("conversation %q: %w", c.id, err)
		}
		results = append(results, r...)
	}
	print(os.Stdout, all, results)
	return nil
}

// open is the memory of a session over the embedded backing.
func open(state string, words bool) (*memory.Memory, func(), error) {
	var e embed.Embedder = embed.None{}
	if !words {
		var err error
		if e, err = static.Default(); err != nil {
			return nil, nil, err
		}
	}
	b, err := backend.Open(backend.Options{StateDir: state})
	if err != nil {
		return nil, nil, err
	}
	s := app.New(app.Options{Backend: b, StateDir: state, Embedders: registry.New(e)})
	m, err := s.Memory()
	return m, func() { _ = s.Close(); _ = b.Close() }, err
}

// result is what came of one question.
type result struct {
	conversation string
	category     int
	at5, at10    float64
	took         time.Duration
}

// measure saves a conversation and asks its questions. Each conversation is an agent of its own.
func measure(ctx context.Context, m *memory.Memory, c conversation) (all []result, err error) {
	who, ids := memory.Who{Agent: c.id}, map[string]string{}
	for _, t := range c.turns {
		s, err := m.Save(ctx, who, memory.Draft{Kind: "conversation", Content: t.text})
		if err != nil {
			return nil, err
		}
		ids[t.id] = s.Item.ID
	}
	a := &prompt.Assembler{Memory: m}
	for _, q := range c.questions {
		began := time.Now()
		found, err := a.Recall(ctx, prompt.RecallRequest{Agent: c.id, Query: q.text, Limit: 10})
		if err != nil {
			return nil, err
		}
		r := result{conversation: c.id, category: q.category, took: time.Since(began)}
		place := map[string]int{}
		for i, it := range found.Items {
			place[it.ID] = i + 1
		}
		for _, e := range q.evidence {
			p := place[ids[e]]
			if p > 0 && p <= 5 {
				r.at5 += 1 / float64(len(q.evidence))
			}
			if p > 0 && p <= 10 {
				r.at10 += 1 / float64(len(q.evidence))
			}
		}
		all = append(all, r)
	}
	return all, nil
}
