package redisearch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// legs collects what the legs of one query found.
type legs struct {
	text, names, vectors []hit
	df                   []int
	err, vectorErr       error
	info                 *info // of the index, asked before the words were; nil: not known
	graphPartial         bool  // the graph of the vectors is still being built, or gone
	slow                 bool  // a leg took so long that the server may have cut it off
}

// search runs the legs at once, on two connections.
func (s *snapshot) search(ctx context.Context, rec record, q search.Query, f *filter, vector []float32, timeout int) *legs {
	l := &legs{df: make([]int, len(q.Words)+len(q.Count))}
	var group sync.WaitGroup
	began := time.Now()
	prefix := s.x.keys.chunks(rec.ID, rec.ver)
	if vector != nil && !f.none {
		group.Go(func() {
			pipe := s.x.readClient.Pipeline()
			parts := rec.vectorIndex() != rec.idx
			var infoCmd *redis.Cmd
			if parts {
				infoCmd = pipe.Do(ctx, "FT.INFO", rec.vectorIndex())
			}
			found := pipe.Do(ctx, vectorArgs(rec.vectorIndex(), f.expr, formOf(rec.ver).vector(vector), vectorHits*f.over, timeout)...)
			_, _ = pipe.Exec(ctx) // each command's error is looked at below
			if infoCmd != nil {
				reply, err := infoCmd.Result()
				l.graphPartial = err == nil && parseInfo(reply).busy
			}
			reply, err := found.Result()
			if parts && rdb.Classify(err) == rdb.NoIndex { // the words answer without it
				l.graphPartial = true
				return
			}
			if err == nil {
				_, l.vectors, err = parseSearch(reply, prefix, false)
				sortHits(l.vectors, true)
			}
			l.vectorErr = err
		})
	}
	l.err = s.words(ctx, rec, q, f, prefix, timeout, l)
	group.Wait()
	l.slow = time.Since(began).Milliseconds() >= int64(timeout)*9/10
	return l
}

// words runs the text leg, the look-up of names and the counts in one pipeline.
func (s *snapshot) words(ctx context.Context, rec record, q search.Query, f *filter, prefix string, timeout int, l *legs) error {
	s.x.mu.Lock()
	scores := !s.x.noScore
	s.x.mu.Unlock()
	room := min(maxWords, maxQuery-len(f.expr))
	text, names := anyOf(lookupWords(q.Words), room), anyOf(q.Names, room)
	pipe := s.x.readClient.Pipeline()
	// First, for what is whole now is whole for the commands behind it.
	infoCmd := pipe.Do(ctx, "FT.INFO", rec.idx)
	var textCmd, nameCmd *redis.Cmd
	if text != "" && scores && !f.none {
		textCmd = pipe.Do(ctx, textArgs(rec.idx, f.expr, text, max(textHits, 2*q.Files)*f.over, true, timeout)...)
	}
	if names != "" && !f.none {
		nameCmd = pipe.Do(ctx, textArgs(rec.idx, f.expr, names, nameHits*f.over, scores, timeout)...)
	}
	counts := make([]*redis.Cmd, len(l.df))
	count := func(words []code.Term, counts []*redis.Cmd) {
		for i, w := range lookupWords(words) {
			counts[i] = pipe.Do(ctx, countArgs(rec.idx, w, timeout)...)
		}
	}
	count(q.Words, counts)
	count(q.Count, counts[len(q.Words):])
	_, _ = pipe.Exec(ctx)                           // each command's error is looked at below
	if reply, err := infoCmd.Result(); err == nil { // else the others tell of it
		in := parseInfo(reply)
		l.info = &in
	}
	var errs []error
	for i, c := range counts {
		if c == nil {
			continue
		}
		n, _, err := parseReply(c, prefix, false)
		l.df[i] = n
		errs = append(errs, err)
	}
	read := func(c *redis.Cmd, into *[]hit, scores bool) error {
		if c == nil {
			return nil
		}
		_, hits, err := parseReply(c, prefix, scores)
		if scores {
			sortHits(hits, false)
		}
		*into = hits
		return err
	}
	nameErr, textErr := read(nameCmd, &l.names, scores), read(textCmd, &l.text, true)
	if scores && (refusesScores(nameErr) || refusesScores(textErr)) {
		s.x.mu.Lock()
		s.x.noScore = true
		s.x.mu.Unlock()
		return s.words(ctx, rec, q, f, prefix, timeout, l)
	}
	if text != "" && !scores && !f.none {
		c := s.x.readClient.Do(ctx, textArgs(rec.idx, f.expr, anyOf(rarest(lookupWords(q.Words), l.df), room), max(textHits, 2*q.Files)*f.over, false, timeout)...)
		textErr = read(c, &l.text, false)
	}
	// What came is kept; a missing index, or a server without search, is told first.
	errs = append(errs, textErr, nameErr)
	for _, err := range errs {
		if c := rdb.Classify(err); c == rdb.NoIndex || c == rdb.NoModule {
			return err
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lookupWords returns the words of a query that are looked up.
func lookupWords(words []code.Term) []code.Term { return words[:min(len(words), search.MaxQueryWords)] }

func parseReply(c *redis.Cmd, prefix string, scores bool) (int, []hit, error) {
	reply, err := c.Result()
	if err != nil {
		return 0, nil, err
	}
	return parseSearch(reply, prefix, scores)
}

// refusesScores reports whether an error is that of a server that cannot score by BM25STD.
func refusesScores(err error) bool {
	return err != nil && !errors.Is(err, errReply) && rdb.Classify(err) == rdb.Other
}

// rarest are the words that together match at most textHits chunks, the rarest first, or the one rarest: a server
// without scores returns any of its matches, so they must be few.
func rarest(words []code.Term, df []int) (out []code.Term) {
	order := make([]int, 0, len(words))
	for i := range words {
		if df[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return df[a] - df[b] })
	sum := 0
	for _, i := range order {
		if sum += df[i]; sum > textHits && len(out) > 0 {
			break
		}
		out = append(out, words[i])
	}
	if len(out) == 0 {
		return words
	}
	return out
}

// interleave takes files from the legs in turn, by the rank of their best chunk, and notes all chunks that were hit.
func interleave(n int, keep func(code.Path) bool, chunks map[code.Path][]string, found ...[]hit) (paths []code.Path) {
	refused := map[code.Path]bool{}
	for rank := 0; ; rank++ {
		more := false
		for _, hits := range found {
			if rank >= len(hits) {
				continue
			}
			more = true
			h := hits[rank]
			if refused[h.path] {
				continue
			}
			if _, known := chunks[h.path]; !known {
				if len(paths) == n {
					continue
				}
				if !keep(h.path) {
					refused[h.path] = true
					continue
				}
				paths = append(paths, h.path)
			}
			chunks[h.path] = append(chunks[h.path], h.id)
		}
		if !more {
			return paths
		}
	}
}
