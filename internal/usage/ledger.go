package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/store"
)

const (
	shards   = 16
	maxShard = 320 // items of one
	sumsDoc  = "sums"
)

func shardDoc(i int) string { return fmt.Sprintf("items:%02d", i) }

func shardOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32() % shards)
}

// shard is a part of the items, as a document has it.
type shard struct {
	rev   int64
	items map[string]stat
}

// sums are the counts of a project.
type sums struct {
	rev    int64
	agents []Precision // by agent kind and profile, sorted
	kinds  map[string]stat
}

// plainSums are sums as JSON has them.
type plainSums struct {
	Agents []Precision `json:"agents"`
	Kinds  []byte      `json:"kinds"` // packed
}

// Precision counts what became of what one kind of agent was given under one profile.
type Precision struct {
	AgentKind string `json:"agent_kind"`
	Profile   string `json:"profile"`
	Shown     int    `json:"shown"` // items of prompts of which feedback came
	Used      int    `json:"used"`
	Refetched int    `json:"refetched"`
	Missed    int    `json:"missed"`
	// TokensGiven are those of all pieces of these prompts, used or not; TokensFiles those of the whole files of the
	// used ones, a file once a prompt. What an older version counted has none of either.
	TokensGiven int `json:"tokens_given"`
	TokensFiles int `json:"tokens_files"`
}

// Dead is how many items were not referenced.
func (p Precision) Dead() int { return p.Shown - p.Used - p.Refetched }

// none reports whether p counts nothing.
func (p Precision) none() bool { return p == Precision{AgentKind: p.AgentKind, Profile: p.Profile} }

// Share is the part of the items that was referenced; 0 if none was shown.
func (p Precision) Share() float64 {
	if p.Shown == 0 {
		return 0
	}
	return float64(p.Used+p.Refetched) / float64(p.Shown)
}

// ledger is all that is known of a project. It does not change once it is made.
type ledger struct {
	shards [shards]shard
	sums   sums
}

// read makes a ledger of documents; what old has at the same revision is taken from there. A document that is none is
// as if it were not there.
func read(_ context.Context, _ store.Shelf, docs []store.Doc, _ int64, old *ledger) (*ledger, error) {
	l := &ledger{}
	byID := make(map[string]store.Doc, len(docs))
	for _, d := range docs {
		byID[d.ID] = d
	}
	for i := range l.shards {
		d, ok := byID[shardDoc(i)]
		switch {
		case !ok:
		case old != nil && old.shards[i].rev == d.Rev:
			l.shards[i] = old.shards[i]
		default:
			l.shards[i] = shard{d.Rev, parseShard(d.Data)}
		}
	}
	if d, ok := byID[sumsDoc]; ok {
		if old != nil && old.sums.rev == d.Rev {
			l.sums = old.sums
		} else {
			l.sums = parseSums(d)
		}
	}
	return l, nil
}

func parseShard(data []byte) map[string]stat {
	items, err := unpack(data)
	if err != nil {
		return nil
	}
	return items
}

func parseSums(d store.Doc) sums {
	var p plainSums
	if json.Unmarshal(d.Data, &p) != nil {
		p = plainSums{}
	}
	return sums{d.Rev, p.Agents, parseShard(p.Kinds)}
}

// event is something learnt of one item.
type event struct {
	id, kind              string
	retrieved, referenced bool
	weight                float64
}

// learn returns the ledger after events and counts of one agent, and the changes that make it so.
func (l *ledger) learn(events []event, add Precision, now time.Time) (*ledger, []store.Write, error) {
	next := *l
	changed := map[int]bool{}
	next.sums = sums{l.sums.rev, addTo(l.sums.agents, add), cloned(l.sums.kinds)}
	for _, e := range events {
		i := shardOf(e.id)
		if !changed[i] {
			changed[i] = true
			next.shards[i].items = cloned(l.shards[i].items)
		}
		items := next.shards[i].items
		items[e.id] = items[e.id].record(e.retrieved, e.referenced, e.weight, now)
		if s, known := next.sums.kinds[e.kind]; known || len(next.sums.kinds) < maxKinds {
			next.sums.kinds[e.kind] = s.record(e.retrieved, e.referenced, e.weight, now)
		}
	}
	var writes []store.Write
	for i := range changed {
		bound(next.shards[i].items)
		writes = append(writes, store.Write{ID: shardDoc(i), Data: pack(next.shards[i].items),
			If: cmp.Or(l.shards[i].rev, store.Absent)})
	}
	data, err := json.Marshal(plainSums{next.sums.agents, pack(next.sums.kinds)})
	return &next, append(writes, store.Write{ID: sumsDoc, Data: data, If: cmp.Or(l.sums.rev, store.Absent)}), err
}

// written marks what writes changed as of revision rev. All else is as it was: each change writes the sums, on their
// condition.
func (l *ledger) written(writes []store.Write, rev int64) {
	l.sums.rev = rev
	for i := range l.shards {
		for _, w := range writes {
			if w.ID == shardDoc(i) {
				l.shards[i].rev = rev
			}
		}
	}
}

func cloned(items map[string]stat) map[string]stat {
	if items == nil {
		return map[string]stat{}
	}
	return maps.Clone(items)
}

const maxKinds = 100 // kinds of items, and pairs of agent kind and profile

// bound removes from a shard what was not retrieved for the longest time.
func bound(items map[string]stat) {
	if len(items) <= maxShard {
		return
	}
	ids := slices.SortedFunc(maps.Keys(items), func(a, b string) int {
		return cmp.Or(items[b].at.Compare(items[a].at), cmp.Compare(a, b))
	})
	for _, id := range ids[maxShard:] {
		delete(items, id)
	}
}

// addTo adds counts to those of the same agent kind and profile.
func addTo(all []Precision, add Precision) []Precision {
	if add.none() {
		return all
	}
	all = slices.Clone(all)
	i, ok := slices.BinarySearchFunc(all, add, func(a, b Precision) int {
		return cmp.Or(cmp.Compare(a.AgentKind, b.AgentKind), cmp.Compare(a.Profile, b.Profile))
	})
	if !ok {
		if len(all) >= maxKinds {
			return all
		}
		all = slices.Insert(all, i, Precision{AgentKind: add.AgentKind, Profile: add.Profile})
	}
	p := &all[i]
	p.Shown, p.Used, p.Refetched, p.Missed = p.Shown+add.Shown, p.Used+add.Used, p.Refetched+add.Refetched,
		p.Missed+add.Missed
	p.TokensGiven, p.TokensFiles = p.TokensGiven+add.TokensGiven, p.TokensFiles+add.TokensFiles
	return all
}
