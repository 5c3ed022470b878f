package intent

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

//go:embed plans.json
var plans []byte

// Query is one question to one type of memory.
type Query struct {
	Memory Memory `json:"memory_type"`
	Text   string `json:"text"`
	Limit  int    `json:"limit"` // greatest number of answers
	// how much newer answers are preferred, 0 to 1: the recency of the signals
	RecencyWeight float64 `json:"recency_weight"`
}

// Plan says what to retrieve for a text.
type Plan struct {
	Frame   Frame   `json:"frame"`
	Queries []Query `json:"queries"`
	// tokens by type of memory; a type without one has what the profile gives it
	Budgets     map[Memory]int `json:"budgets,omitempty"`
	Dedup       bool           `json:"dedup"`          // drop what the conversation says already
	MaxPerType  int            `json:"max_per_type"`   // greatest number of items of one type of memory
	Skip        []Memory       `json:"skip,omitempty"` // types that are not asked: those with a budget of 0
	TotalBudget int            `json:"total_budget"`   // tokens of the whole context
	Turns       int            `json:"turns"`          // messages of the live conversation that count
}

// table is plans.json.
type table struct {
	Limits struct {
		Dominant int `json:"dominant"` // of the type with the highest hint
		Other    int `json:"other"`    // of the types beside it
		Even     int `json:"even"`     // of all, if none stands out
	} `json:"limits"`
	MaxPerType int `json:"max_per_type"`
	Frames     map[Frame]struct {
		Budget  int            `json:"budget"`
		Turns   int            `json:"turns"`
		Budgets map[Memory]int `json:"budgets"`
	} `json:"frames"`
}

var planTable = sync.OnceValue(func() table {
	var t table
	d := json.NewDecoder(bytes.NewReader(plans))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		panic(fmt.Errorf("read plans.json: %w", err)) // the file is part of the program, and a test reads it
	}
	return t
})

// PlanFor is the plan for the signals of a text, in their frame or, if it is not "", in another that the caller knows
// to be right. A greeting plans nothing in any frame. An unknown frame is an error that lists those known.
func PlanFor(s Signals, frame Frame) (Plan, error) {
	frame = cmp.Or(frame, s.Frame)
	if _, err := ParseFrame(string(frame)); err != nil {
		return Plan{}, err
	}
	t := planTable()
	f := t.Frames[frame]
	if s.Greeting {
		return Plan{Frame: frame, Queries: []Query{}, Skip: slices.Clone(Memories), Turns: f.Turns,
			Budgets: map[Memory]int{Decisions: 0, Facts: 0, Procedures: 0, Episodes: 0}}, nil
	}
	p := Plan{Frame: frame, Queries: []Query{}, Budgets: maps.Clone(f.Budgets), Dedup: true, MaxPerType: t.MaxPerType,
		TotalBudget: f.Budget, Turns: f.Turns}
	dominant := s.Dominant()
	for _, m := range Memories {
		if tokens, ok := p.Budgets[m]; ok && tokens == 0 {
			p.Skip = append(p.Skip, m)
			continue
		}
		limit := t.Limits.Even
		switch dominant {
		case "":
		case m:
			limit = t.Limits.Dominant
		default:
			limit = t.Limits.Other
		}
		p.Queries = append(p.Queries, Query{m, s.Text, limit, s.Recency})
	}
	return p, nil
}
