package backend_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/store"
)

// fleet is real servers with fixed names, so that it is known what lies where.
type fleet struct {
	*testing.T
	each []*rdbtest.Server
	dir  string
}

func startFleet(t *testing.T, n int) *fleet {
	t.Helper()
	f := &fleet{T: t, dir: t.TempDir()}
	for range n {
		f.each = append(f.each, rdbtest.Own(t, rdbtest.Plain))
	}
	return f
}

func (f *fleet) url(i int) string { return fmt.Sprintf("%s?name=s%d", f.each[i].URL, i) }

// open opens a store on the servers at these places.
func (f *fleet) open(places ...int) *backend.Backend {
	f.Helper()
	var urls []string
	for _, i := range places {
		urls = append(urls, f.url(i))
	}
	b, err := backend.Open(backend.Options{Redis: strings.Join(urls, " "), Prefix: "ctx", StateDir: f.dir,
		Deadline: 2 * time.Second})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = b.Close() })
	return b
}

func (f *fleet) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func project(i int) string { return fmt.Sprintf("p%02d", i) }

// record makes an index of a project without files.
func (f *fleet) record(b *backend.Backend, id string) {
	f.Helper()
	w, err := b.Index.Writer(f.Context(), search.Spec{Project: id, Root: "/srv/" + id, Model: search.Model{Embedder: "none"}})
	f.ok(err)
	f.ok(w.Touch(f.Context(), search.Entry{Path: "a.bin", Size: 1, Skip: "binary"}))
	_, err = w.Commit(f.Context(), true)
	f.ok(err)
	f.ok(w.Close())
}

func ids(list []search.Project) (all []string) {
	for _, p := range list {
		all = append(all, p.ID)
	}
	return all
}

func TestOneOfSeveralServersDownLeavesTheProjectsOfOthersWhole(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	b := f.open(0, 1, 2)
	on := map[string][]string{}
	for i := range 30 {
		id := project(i)
		f.record(b, id)
		on[b.ServerOf(id)] = append(on[b.ServerOf(id)], id)
	}
	for i, one := range b.Servers() {
		list, err := one.Index.Projects(t.Context())
		if f.ok(err); !slices.Equal(ids(list), on[one.Server()]) || len(list) < 5 {
			t.Errorf("server %d holds %q, want %q", i, ids(list), on[one.Server()])
		}
	}
	list, err := b.Index.Projects(t.Context())
	if f.ok(err); len(list) != 30 {
		t.Errorf("%d projects are listed, want 30", len(list))
	}
	f.each[1].Kill(t)
	list, fault := b.Index.Projects(t.Context())
	if len(list) != 30-len(on["s1"]) || !servers.Partial(fault) || !strings.Contains(fault.Error(), `"s1"`) {
		t.Errorf("%d projects are listed without s1, which has %d, and error %v", len(list), len(on["s1"]), fault)
	}
	q, err := b.Queue()
	f.ok(err)
	docs, err := b.Documents()
	f.ok(err)
	for i := range 30 {
		id := project(i)
		down := b.ServerOf(id) == "s1"
		snap, opened := b.Index.Open(t.Context(), id)
		if opened == nil {
			f.ok(snap.Close())
		}
		_, pushed := q.Push(t.Context(), queue.Request{Project: id, Root: "/srv/" + id})
		_, written := docs.Apply(t.Context(), store.Shelf{Bucket: "history", Owner: id}, store.Write{ID: "x", Data: []byte("y")})
		for what, err := range map[string]error{"index": opened, "queue": pushed, "documents": written, "list": servers.ForOwner(fault, id)} {
			if (err != nil) != down {
				t.Errorf("%s of project %q on %s: %v", what, id, b.ServerOf(id), err)
			}
		}
	}
	states, err := b.Projects(t.Context(), "")
	if len(states) != len(list) || !servers.Partial(err) {
		t.Errorf("%d states and error %v, want %d", len(states), err, len(list))
	}
	stats, err := b.Stats(t.Context())
	if stats.Depth != len(list) || !servers.Partial(err) {
		t.Errorf("%d projects wait, error %v; want %d", stats.Depth, err, len(list))
	}
	f.each[1].Restart(t)
	f.eventually(func() error { // each client finds for itself that the server is back
		list, err := b.Index.Projects(t.Context())
		if err == nil && len(list) != 30 {
			err = fmt.Errorf("%d projects once s1 is back; want 30", len(list))
		}
		return err
	})
}

func (f *fleet) eventually(what func() error) {
	f.Helper()
	var err error
	for range 200 {
		if err = what(); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.Fatal(err)
}

func TestAProjectThatMovedIsListedOnItsServerWithNothingIndexed(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	before := f.open(0, 1)
	for i := range 30 {
		f.record(before, project(i))
	}
	after := f.open(0, 1, 2)
	list, err := after.Index.Projects(t.Context())
	f.ok(err)
	moved := 0
	for _, p := range list {
		if here := !p.IndexedAt.IsZero(); here == (after.ServerOf(p.ID) == "s2") {
			t.Errorf("project %q on %s was indexed at %v", p.ID, after.ServerOf(p.ID), p.IndexedAt)
		} else if !here {
			moved++
			if p.Root != "/srv/"+p.ID {
				t.Errorf("project %q has root %q", p.ID, p.Root)
			}
			if _, err := after.Index.Open(t.Context(), p.ID); !errors.Is(err, search.ErrNoProject) {
				t.Errorf("open moved project %q: %v", p.ID, err)
			}
		} else if was := before.ServerOf(p.ID); was != after.ServerOf(p.ID) {
			t.Errorf("project %q moved from %s to %s, which is not new", p.ID, was, after.ServerOf(p.ID))
		}
	}
	if len(list) != 30 || moved < 5 || moved > 15 {
		t.Errorf("%d of %d projects moved, want about 10 of 30", moved, len(list))
	}
	for i := range 30 { // removed by their id, wherever they lie
		f.ok(after.Index.Remove(t.Context(), project(i), 0))
	}
	if list, err := after.Index.Projects(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("%q are left, %v", ids(list), err)
	}
}

func TestDeadLettersOfSeveralServersAreToldApart(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 2)
	b := f.open(0, 1)
	no := func(*queue.Request) error { return errors.New("no") }
	for _, one := range b.Servers() {
		q, err := one.Queue()
		f.ok(err)
		_, err = q.Push(t.Context(), queue.Request{Project: "p", Root: "/srv"})
		f.ok(err)
		_, err = q.Drain(t.Context(), no)
		f.ok(err)
	}
	dead, err := b.Dead(t.Context())
	f.ok(err)
	if len(dead) != 2 || !strings.HasSuffix(dead[0].ID, "@s0") && !strings.HasSuffix(dead[1].ID, "@s0") {
		t.Fatalf("dead letters %+v", dead)
	}
	q, err := b.Queue()
	f.ok(err)
	if n, err := q.DropDead(t.Context(), []string{dead[0].ID}); n != 1 || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
	if n, err := q.RetryDead(t.Context(), nil); n != 1 || err != nil {
		t.Errorf("retried %d, %v", n, err)
	}
	if left, err := b.Dead(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left %+v, %v", left, err)
	}
}

// remember writes documents and logs as a project and an agent have them.
func (f *fleet) remember(b *backend.Backend, owner string) {
	f.Helper()
	docs, err := b.Documents()
	f.ok(err)
	for _, bucket := range []string{"history", "memoryproject", "turns"} {
		for i := range 3 {
			_, err := docs.Apply(f.Context(), store.Shelf{Bucket: bucket, Owner: owner},
				store.Write{ID: fmt.Sprint("doc", i), Data: []byte(bucket + owner)})
			f.ok(err)
		}
	}
	for i := range 5 {
		for _, log := range []string{"receipts:" + servers.Key(owner), "window:" + owner} {
			_, err := docs.Append(f.Context(), log, 100, []byte(fmt.Sprint("entry", i)))
			f.ok(err)
		}
	}
}

// remembers checks that all of it is there, in order.
func (f *fleet) remembers(b *backend.Backend, owner string, more ...string) {
	f.Helper()
	docs, err := b.Documents()
	f.ok(err)
	for _, bucket := range []string{"history", "memoryproject", "turns"} {
		all, rev, err := docs.All(f.Context(), store.Shelf{Bucket: bucket, Owner: owner})
		if f.ok(err); len(all) != 3 || rev == 0 || string(all[0].Data) != bucket+owner {
			f.Errorf("shelf %s of %s: %+v at %d", bucket, owner, all, rev)
		}
	}
	for _, log := range []string{"receipts:" + servers.Key(owner), "window:" + owner} {
		entries, err := docs.Tail(f.Context(), log, "", 100)
		f.ok(err)
		var texts []string
		for _, e := range entries {
			texts = append(texts, string(e.Data))
		}
		if want := append([]string{"entry0", "entry1", "entry2", "entry3", "entry4"}, more...); !slices.Equal(texts, want) {
			f.Errorf("log %s: %q, want %q", log, texts, want)
		}
	}
}

func (f *fleet) strays(b *backend.Backend) (all []backend.Stray) {
	f.Helper()
	for _, one := range b.Servers() {
		list, err := one.Strays(f.Context())
		f.ok(err)
		all = append(all, list...)
	}
	return all
}

func TestDocumentsAreOnTheServerOfTheirOwnerWhenFirstUsed(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	before := f.open(0, 1)
	for i := range 12 {
		f.remember(before, project(i))
	}
	after := f.open(0, 1, 2)
	stray := f.strays(after)
	if len(stray) == 0 || stray[0].Own != "s2" || stray[0].Server == "s2" {
		t.Fatalf("strays %+v", stray)
	}
	for i := range 12 {
		f.remembers(after, project(i))
	}
	if left := f.strays(after); len(left) > 0 {
		t.Errorf("still on other servers: %+v", left)
	}
	for i := range 12 {
		f.remembers(f.open(0, 1, 2), project(i)) // another process has nothing to move
	}
}

func TestAMoveBringsAllThatIsRememberedAndKeepsTheOrderOfLogs(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	before := f.open(0)
	for i := range 12 {
		f.remember(before, project(i))
	}
	after := f.open(1, 2)
	docs, err := after.Documents()
	f.ok(err)
	for i := range 12 { // written on the new servers before the move
		_, err := docs.Append(t.Context(), "receipts:"+servers.Key(project(i)), 100, []byte("later"))
		f.ok(err)
		_, err = docs.Append(t.Context(), "window:"+project(i), 100, []byte("later"))
		f.ok(err)
	}
	done, err := after.MoveDocumentsFrom(t.Context(), f.url(0), false)
	f.ok(err)
	if done.Documents != 12*9 || done.Logs != 24 || len(done.Left) > 0 {
		t.Errorf("moved %+v", done)
	}
	for i := range 12 {
		f.remembers(after, project(i), "later")
	}
	again, err := after.MoveDocumentsFrom(t.Context(), f.url(0), false)
	if err != nil || again.Documents+again.Logs > 0 {
		t.Errorf("moved again %+v, %v", again, err)
	}
	if _, err := after.MoveDocumentsFrom(t.Context(), f.url(1), false); err == nil {
		t.Error("a server of the list is no server to move from")
	}
}

func TestADocumentThatTwoServersHaveIsNamedAndNotOverwritten(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 2)
	sh := store.Shelf{Bucket: "history", Owner: "p"}
	write := func(b *backend.Backend, id, text string) {
		t.Helper()
		docs, err := b.Documents()
		f.ok(err)
		_, err = docs.Apply(t.Context(), sh, store.Write{ID: id, Data: []byte(text)})
		f.ok(err)
	}
	from, to := f.open(0), f.open(1)
	write(from, "same", "same")
	write(from, "mine", "old")
	write(from, "other", "other")
	write(to, "same", "same")
	write(to, "mine", "new")
	done, err := to.MoveDocumentsFrom(t.Context(), f.url(0), false)
	if err != nil || done.Documents != 1 || len(done.Left) != 1 || done.Left[0].Count != 1 || done.Left[0].Owner != "p" {
		t.Errorf("moved %+v, %v", done, err)
	}
	has := func(b *backend.Backend, want string) {
		t.Helper()
		docs, err := b.Documents()
		f.ok(err)
		all, _, err := docs.All(t.Context(), sh)
		f.ok(err)
		var texts []string
		for _, d := range all {
			texts = append(texts, d.ID+" "+string(d.Data))
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("documents %q, want %q", got, want)
		}
	}
	has(to, "mine new, other other, same same")
	has(from, "mine old")
	if done, err = to.MoveDocumentsFrom(t.Context(), f.url(0), true); err != nil || len(done.Left) > 0 {
		t.Errorf("moved with drop %+v, %v", done, err)
	}
	has(to, "mine new, other other, same same")
	has(from, "")
}

func TestASilentServerIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	f.ok(err)
	t.Cleanup(func() { _ = l.Close() })
	var came atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() }) // it takes connections and says nothing
			came.Add(1)
		}
	}()
	b, err := backend.Open(backend.Options{Redis: f.url(0) + " redis://" + l.Addr().String(), Prefix: "ctx", StateDir: f.dir})
	f.ok(err)
	t.Cleanup(func() { _ = b.Close() })
	connects := func() bool {
		before := came.Load()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := b.Index.Projects(ctx); !servers.Partial(err) {
			t.Errorf("error %v", err)
		}
		return came.Load() > before
	}
	if !connects() {
		t.Fatal("the silent server was not asked")
	}
	for n := 1; connects(); n++ { // on a busy machine a second may have passed between
		if n == 3 {
			t.Fatal("each question asks the silent server")
		}
	}
}
