package redisearch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/contextd/contextd/internal/code"
)

// hit is one chunk that FT.SEARCH found.
type hit struct {
	id    string // the chunk's, in hexadecimal
	path  code.Path
	score float64 // of the text, the greater the better, or the distance, the smaller the better
}

var errReply = errors.New("unexpected reply to FT.SEARCH")

// parseSearch reads a RESP2 reply to FT.SEARCH: the number of matches, then key, score if it was asked for, and fields
// of each. The score of a hit is taken from there, or from a field "d". A hit without fields was deleted meanwhile.
func parseSearch(reply any, prefix string, scores bool) (total int, hits []hit, err error) {
	list, ok := reply.([]any)
	if !ok || len(list) == 0 {
		return 0, nil, fmt.Errorf("%w: %T", errReply, reply)
	}
	n, ok := list[0].(int64)
	if !ok || n < 0 {
		return 0, nil, fmt.Errorf("%w: the number of matches is %v", errReply, list[0])
	}
	step := 2
	if scores {
		step = 3
	}
	rest := list[1:]
	if len(rest)%step != 0 {
		return 0, nil, fmt.Errorf("%w: %d values in steps of %d", errReply, len(rest), step)
	}
	for ; len(rest) > 0; rest = rest[step:] {
		key, ok := rest[0].(string)
		if !ok || len(key) <= len(prefix) || key[:len(prefix)] != prefix {
			return 0, nil, fmt.Errorf("%w: the key of a match is %v", errReply, rest[0])
		}
		h := hit{id: key[len(prefix):]}
		if scores {
			if h.score, ok = number(rest[1]); !ok {
				return 0, nil, fmt.Errorf("%w: the score of a match is %v", errReply, rest[1])
			}
		}
		fields, ok := rest[step-1].([]any)
		if !ok {
			continue
		}
		for i := 0; i+1 < len(fields); i += 2 {
			switch fields[i] {
			case "p":
				h.path, _ = fields[i+1].(string)
			case "d":
				if h.score, ok = number(fields[i+1]); !ok {
					return 0, nil, fmt.Errorf("%w: the distance of a match is %v", errReply, fields[i+1])
				}
			}
		}
		if h.path != "" {
			hits = append(hits, h)
		}
	}
	return int(n), hits, nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && f == f
	case int64:
		return float64(v), true
	case float64:
		return v, v == v
	}
	return 0, false
}

// sortHits orders hits by score, the best first; ties by path and id, so that the order is the same every time.
func sortHits(hits []hit, smallest bool) {
	slices.SortFunc(hits, func(a, b hit) int {
		by := cmp.Compare(b.score, a.score)
		if smallest {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.path, b.path), cmp.Compare(a.id, b.id))
	})
}

// info is what FT.INFO says that matters here.
type info struct {
	docs int  // hashes in the index, and those that it could not take
	busy bool // hashes that were there before the index are still being read
}

// parseInfo reads a reply to FT.INFO: pairs, or a map; servers name the state of the first scan differently.
func parseInfo(reply any) (in info) {
	take := func(name, value any) {
		n, ok := number(value)
		if !ok {
			return
		}
		switch name {
		case "num_docs", "hash_indexing_failures":
			in.docs += int(min(max(n, 0), 1<<40))
		case "indexing", "backfill_in_progress":
			in.busy = in.busy || n > 0
		}
	}
	switch r := reply.(type) {
	case []any:
		for i := 0; i+1 < len(r); i += 2 {
			take(r[i], r[i+1])
		}
	case map[any]any:
		for k, v := range r {
			take(k, v)
		}
	}
	return in
}
