package backend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// bring indexes a project of n files and notes it, as a run does.
func bring(t *testing.T, b *Backend, id string, n int) {
	t.Helper()
	ctx := context.Background()
	w, err := b.Index.Writer(ctx, search.Spec{Project: id, Root: "/" + id, Model: search.Model{Embedder: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := w.Touch(ctx, search.Entry{Path: fmt.Sprintf("%s-%04d.bin", id, i), Skip: code.Binary, Detail: strings.Repeat("d", 50)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Evict(ctx, id, Client); err != nil {
		t.Fatal(err)
	}
}

// setUse notes when a project was brought and queried, ago; 0: never queried.
func setUse(t *testing.T, b *Backend, id string, brought, queried time.Duration) {
	t.Helper()
	at := func(ago time.Duration) time.Time {
		if ago == 0 {
			return time.Unix(0, 0)
		}
		return time.Now().Add(-ago)
	}
	var err error
	if b.Name == Embedded {
		if err = os.MkdirAll(filepath.Dir(b.queriedFile(id)), 0o700); err == nil {
			err = os.WriteFile(b.queriedFile(id), fmt.Append(nil, at(brought).UnixMilli()), 0o600)
		}
		if err == nil {
			err = os.Chtimes(b.queriedFile(id), at(queried), at(queried))
		}
	} else {
		err = b.client.HSet(t.Context(), b.usesKey(), id, fmt.Sprintf("%d %d", at(brought).UnixMilli(), at(queried).UnixMilli())).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, b *Backend) string {
	t.Helper()
	projects, err := b.Index.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range projects {
		all = append(all, p.ID)
	}
	return strings.Join(all, " ")
}

// bytesOf is how many bytes of indexes there are.
func bytesOf(t *testing.T, b *Backend) int64 {
	t.Helper()
	limit := b.opts.MaxStateBytes
	b.opts.MaxStateBytes = 0
	defer func() { b.opts.MaxStateBytes = limit }()
	r, err := b.room(t.Context(), ids(t, b)[:1])
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.over(t.Context())
	if err != nil || n <= 0 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return n
}

func TestLeastRecentlyQueriedProjectsGoFirst(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		b.opts.MaxStateBytes = 1 << 40
		for _, id := range []string{"a", "b", "c", "d"} {
			bring(t, b, id, 200)
		}
		setUse(t, b, "a", 9*time.Hour, 2*time.Hour)
		setUse(t, b, "b", 9*time.Hour, 3*time.Hour)
		setUse(t, b, "c", 9*time.Hour, 0)
		setUse(t, b, "d", 9*time.Hour, 0)
		all := bytesOf(t, b)
		for _, step := range []struct {
			limit int64
			want  string
		}{{all * 11 / 10, "a b c d"}, {all * 9 / 10, "a b d"}, {all * 2 / 5, "d"}, {1, "d"}} {
			b.opts.MaxStateBytes = step.limit
			if err := b.Evict(ctx, "d", Client); err != nil || ids(t, b) != step.want {
				t.Errorf("limit %d of %d: %s, want %s (%v)", step.limit, all, ids(t, b), step.want, err)
			}
		}
	})
}

func TestTheOperatorsProjectsReplaceTheLeastRecentlyQueried(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		b.opts.MaxStateBytes = 1 << 40
		for _, id := range []string{"a", "b", "c"} {
			bring(t, b, id, 200)
		}
		setUse(t, b, "a", time.Hour, 2*time.Minute)
		setUse(t, b, "b", 2*time.Minute, 3*time.Second) // b is newer, and a is less recently queried
		b.opts.MaxStateBytes = bytesOf(t, b) * 8 / 10
		if err := b.Evict(ctx, "c", Operator); err != nil || ids(t, b) != "b c" {
			t.Errorf("%s, %v", ids(t, b), err)
		}
	})
}

func TestWhoBringsManyProjectsTakesNothingFromThoseInUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		brought, queried time.Duration
		asks             bool // the intruder asks for what he brought
	}{
		{"in use for long, others only queue", 24 * time.Hour, time.Minute, false},
		{"in use for long, others ask", 24 * time.Hour, time.Minute, true},
		{"used yesterday", 48 * time.Hour, 24 * time.Hour, true},
		{"a few seconds older", 9 * time.Second, 3 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, b *Backend) {
				b.opts.MaxStateBytes = 1 << 40
				bring(t, b, "mine", 200)
				setUse(t, b, "mine", tt.brought, tt.queried)
				b.opts.MaxStateBytes = 3 * bytesOf(t, b)
				for i := range 6 {
					id := fmt.Sprintf("other%d", i)
					if tt.asks {
						b.Queried(id)
						b.notes.Wait()
					}
					bring(t, b, id, 250)
					if tt.asks {
						b.Queried(id)
						b.notes.Wait()
					}
					if have := ids(t, b); !strings.HasPrefix(have, "mine") || !strings.Contains(have, id) {
						t.Errorf("after %s: %s", id, have)
					}
				}
				if have := ids(t, b); strings.Count(have, "other") > 2 {
					t.Errorf("the limit is not kept: %s", have)
				}
			})
		})
	}
}

func TestANewcomerTakesNothingFromAnOlderProjectInUse(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		b.opts.MaxStateBytes = 1 << 40
		bring(t, b, "mine", 100)
		setUse(t, b, "mine", time.Hour, time.Second)
		b.opts.MaxStateBytes = bytesOf(t, b) * 3 / 2
		for i := range 4 { // each is larger than the room that is left
			bring(t, b, fmt.Sprintf("other%d", i), 300)
			if have, want := ids(t, b), fmt.Sprintf("mine other%d", i); have != want {
				t.Errorf("%s, want %s", have, want)
			}
		}
	})
}

func TestWhatCannotBeRemovedRemovesNoIndex(t *testing.T) {
	t.Parallel()
	log := &logged{}
	b := open(t, Options{StateDir: t.TempDir(), MaxStateBytes: 1 << 40, Log: log.logger()})
	bring(t, b, "a", 100)
	bring(t, b, "b", 100)
	b.opts.MaxStateBytes = 2 * bytesOf(t, b)
	write := func(name string, size int64) string {
		path := filepath.Join(b.opts.StateDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kept := []string{write("documents.db", 3*b.opts.MaxStateBytes), write("audit/a.jsonl", 3*b.opts.MaxStateBytes), write("queue.db", b.opts.MaxStateBytes)}
	for range 3 {
		if err := b.Evict(t.Context(), "b", Client); err != nil || ids(t, b) != "a b" {
			t.Fatalf("%s, %v", ids(t, b), err)
		}
	}
	if n := strings.Count(log.text(), "never removed"); n != 1 {
		t.Errorf("said %d times: %s", n, log.text())
	}
	older := write("documents.db.bad-20260101T000000.000000Z", b.opts.MaxStateBytes)
	write("documents.db.bad-20260101T000000.000000Z-wal", 1)
	newer := write("documents.db.bad-20260201T000000.000000Z", b.opts.MaxStateBytes/4)
	if err := b.Evict(t.Context(), "b", Client); err != nil || ids(t, b) != "a b" {
		t.Errorf("damaged copies took an index along: %s, %v", ids(t, b), err)
	}
	for _, path := range []string{older, older + "-wal"} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", filepath.Base(path))
		}
	}
	for _, path := range append(kept, newer) {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestProjectsGoBeforeRedisIsFullAndAlsoWhenItIs(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	c := s.Client(t)
	log := &logged{}
	b := open(t, Options{StateDir: t.TempDir(), Redis: s.URL, Prefix: s.Prefix, MaxStateBytes: 1 << 40, Log: log.logger()})
	ctx := t.Context()
	for i, id := range []string{"a", "b", "c"} {
		bring(t, b, id, 2000)
		setUse(t, b, id, 9*time.Hour, time.Duration(9-i)*time.Hour)
	}
	f, _, err := b.Facts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	limit := func(bytes int64) {
		t.Helper()
		if err := c.ConfigSet(ctx, "maxmemory", fmt.Sprint(bytes)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit(f.Used * 100 / 95)
	if err := b.Evict(ctx, "c", Client); err != nil || strings.HasPrefix(ids(t, b), "a") || !strings.Contains(ids(t, b), "c") {
		t.Errorf("nearly full: %s, %v", ids(t, b), err)
	}
	limit(0)
	bring(t, b, "b", 2000)
	setUse(t, b, "b", 9*time.Hour, 2*time.Hour)
	if f, _, err = b.Facts(ctx); err != nil {
		t.Fatal(err)
	}
	limit(f.Used - 1000)
	if err := b.Evict(ctx, "c", Client); err != nil || ids(t, b) != "c" {
		t.Errorf("full: %s, %v", ids(t, b), err)
	}
	limit(100_000) // far less than the server itself takes
	if err := b.Evict(ctx, "x", Client); err != nil || ids(t, b) != "c" {
		t.Errorf("full of other things: %s, %v", ids(t, b), err)
	}
	if n := strings.Count(log.text(), "nearly full"); n != 1 {
		t.Errorf("said %d times: %s", n, log.text())
	}
}
