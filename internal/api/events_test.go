package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/queue"
)

// listen connects to the events of a server and waits until nothing can be missed.
func (w *world) listen(query string) *websocket.Conn {
	w.t.Helper()
	c, _, err := websocket.Dial(w.t.Context(), w.http.URL+"/v1/events"+query,
		&websocket.DialOptions{Subprotocols: []string{Protocol}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = c.CloseNow() })
	if e := w.next(c); e.Type != eventReady || c.Subprotocol() != Protocol {
		w.t.Fatalf("first event %+v, protocol %q", e, c.Subprotocol())
	}
	return c
}

func (w *world) next(c *websocket.Conn) (e client.Event) {
	w.t.Helper()
	_, data, err := c.Read(w.t.Context())
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := described()
	if err != nil {
		w.t.Fatal(err)
	}
	schema := d.resolve("#/components/schemas/Event")
	w.fits(d.schemas, "event", schema, data)
	form, ok := schema["x-data"].(map[string]any)[e.Type].(map[string]any)
	if !ok {
		w.t.Fatalf("data of %s are not described", e.Type)
	}
	w.fits(d.schemas, "data of "+e.Type, form, e.Data)
	return e
}

// dataOf is the data of an event.
func dataOf(e client.Event) (data map[string]any) {
	_ = json.Unmarshal(e.Data, &data) // next has read it
	return data
}

func TestListenersHearOfIndexAndQueue(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Poll = 5 * time.Millisecond })
	c := w.listen("")
	w.index("web")
	if e := w.next(c); e.Type != eventIndex || e.Project != "web" || dataOf(e)["generation"] != 1.0 || e.At.IsZero() {
		t.Errorf("%+v", e)
	}
	only := w.listen("?types=queue_changed,task_completed")
	q, err := w.app.Backend.Queue()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Push(t.Context(), queue.Request{Project: "api", Root: "/srv/api", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	e := w.next(only)
	if e.Type == eventQueue && dataOf(e)["depth"] == 0.0 { // a look between the count of requests and the depth
		e = w.next(only)
	}
	if e.Type != eventQueue || dataOf(e)["depth"] != 1.0 {
		t.Errorf("%+v", e)
	}
	if err := w.app.Backend.Index.Remove(t.Context(), "web", 0); err != nil {
		t.Fatal(err)
	}
	for {
		if e := w.next(c); e.Type == eventIndex && e.Project == "web" && dataOf(e)["removed"] == true {
			break
		}
	}
}

func TestListenersAreToldWhenTheServerStops(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.listen("")
	go w.srv.Close()
	_, _, err := c.Read(t.Context())
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("closed with %v", err)
	}
	if _, _, err := websocket.Dial(t.Context(), w.http.URL+"/v1/events", nil); err == nil ||
		!strings.Contains(err.Error(), "503") {
		t.Errorf("a stopping server takes listeners: %v", err)
	}
}

func TestEventsAreForWebSocketsAndKnownTypes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.refused(upgradeRequired, "GET", "/v1/events", "")
	if p := w.refused(invalidRequest, "GET", "/v1/events?types=queue_changed,nothing",
		""); len(p.Known) != len(eventTypes) {
		t.Errorf("known %q", p.Known)
	}
	w.refused(unknownField, "GET", "/v1/events?since=1", "")
	c := w.listen("")
	if err := c.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil { // a listener only listens
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("closed with %v", err)
	}
}

// stillHub is a hub whose world never changes; looks counts how often it is looked at.
func stillHub(looks *int) *hub {
	return newHub(func(context.Context) (view, error) {
		*looks++
		return view{}, nil
	}, time.Second, time.Now, slog.New(slog.DiscardHandler))
}

func all(*event) bool { return true }

func TestSlowListenersAreDroppedAndNobodyWaitsForThem(t *testing.T) {
	t.Parallel()
	looks := 0
	h := stillHub(&looks)
	slow, err := h.add(all)
	if err != nil {
		t.Fatal(err)
	}
	quick, err := h.add(all)
	if err != nil {
		t.Fatal(err)
	}
	<-quick.feed // ready
	for i := range maxBehind + 2 {
		h.publish(eventTask, "web", "", i)
		<-quick.feed
	}
	select {
	case <-slow.lost:
	default:
		t.Error("the slow one was not dropped")
	}
	select {
	case <-quick.lost:
		t.Error("the quick one was dropped")
	default:
	}
	h.remove(slow)
	h.remove(quick)
	h.close()
}

func TestListenersAreBounded(t *testing.T) {
	t.Parallel()
	looks := 0
	h := stillHub(&looks)
	defer h.close()
	for range maxListeners {
		l, err := h.add(all)
		if err != nil {
			t.Fatal(err)
		}
		defer h.remove(l)
	}
	var f *fault
	if _, err := h.add(all); !errors.As(err, &f) || f.slug != tooMany {
		t.Errorf("one more: %v", err)
	}
}

func TestNobodyLooksWhileNobodyListens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		h := stillHub(&looks)
		time.Sleep(time.Minute)
		if looks != 0 {
			t.Errorf("looked %d times for nobody", looks)
		}
		l, err := h.add(all)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if looks != 11 {
			t.Errorf("looked %d times in 10 s, want one baseline and 10", looks)
		}
		h.remove(l)
		time.Sleep(time.Minute)
		synctest.Wait()
		if looks != 11 {
			t.Errorf("looked %d times after the last has gone", looks-11)
		}
		h.close()
	})
}

func TestWhatChangedIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := view{queue: client.QueueCounts{Depth: 1, OldestAgeMS: 5},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 1}, "b": {ID: "b"}}}
		var now atomic.Pointer[view]
		now.Store(&first)
		h := newHub(func(context.Context) (view, error) {
			return *now.Load(), nil
		}, time.Second, time.Now, slog.New(slog.DiscardHandler))
		l, err := h.add(all)
		if err != nil {
			t.Fatal(err)
		}
		<-l.feed // ready
		step := func(change view, want ...string) {
			t.Helper()
			now.Store(&change)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			var got []string
			for len(l.feed) > 0 {
				var e client.Event
				if err := json.Unmarshal(<-l.feed, &e); err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Type+" "+e.Project)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
		step(view{queue: client.QueueCounts{Depth: 1, OldestAgeMS: 900}, projects: first.projects})
		step(view{queue: client.QueueCounts{Depth: 2}, projects: first.projects}, "queue_changed ")
		step(view{queue: client.QueueCounts{Depth: 2},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 2}, "b": {ID: "b"}}}, "index_changed a")
		step(view{queue: client.QueueCounts{Depth: 2},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 2}}}, "index_changed b")
		step(view{pushed: 3, queue: client.QueueCounts{Depth: 2},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 2}}}, "queue_changed ")
		step(view{pushed: 3, claimed: 2, queue: client.QueueCounts{Depth: 2},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 2}}}, "queue_changed ")
		step(view{pushed: 1, claimed: 1, queue: client.QueueCounts{Depth: 2},
			projects: map[string]client.Project{"a": {ID: "a", Generation: 2}}}, "queue_changed ")
		waiting := func(n int) view {
			return view{pushed: 1, claimed: 1, queue: client.QueueCounts{Depth: 2},
				projects: map[string]client.Project{"a": {ID: "a", Generation: 2, Pending: n}}}
		}
		step(waiting(2))
		step(waiting(1))
		step(waiting(0), "index_changed a") // who waits for its changes has its generation
		h.remove(l)
		h.close()
	})
}

// A claim, and a retry after a failure, that end between two looks leave the counts as they were, and no request came.
func TestAClaimThatIsOverAtOnceIsToldToListeners(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		q, err := w.app.Backend.Queue()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Push(t.Context(),
			queue.Request{Project: "api", Root: "/srv/api", At: time.Now().Add(-time.Hour)}); err != nil {
			t.Fatal(err)
		}
		looked := func() view {
			t.Helper()
			v, err := w.srv.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			v.queue.OldestAgeMS, v.queue.Delayed = 0, 0 // with the clock
			return v
		}
		if _, err := q.Drain(t.Context(), func(*queue.Request) error { return nil }); err != nil {
			t.Fatal(err)
		}
		before := looked()
		for range 2 {
			var c *queue.Claim
			for c == nil {
				if c, err = q.Claim(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond) // until it is due
			}
			if err := q.Retry(t.Context(), c, 0); err != nil {
				t.Fatal(err)
			}
		}
		if after := looked(); after.queue != before.queue || after.pushed != before.pushed ||
			after.claimed != before.claimed+2 {
			t.Errorf("before %+v, after %+v", before, after)
		}
	})
}

// A request that comes and is done between two looks leaves the counts as they were.
func TestARequestThatIsDoneAtOnceIsToldToListeners(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		v := func() view {
			t.Helper()
			v, err := w.srv.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		q, err := w.app.Backend.Queue()
		if err != nil {
			t.Fatal(err)
		}
		push := func(n int) {
			for range n {
				if _, err := q.Push(t.Context(),
					queue.Request{Project: "api", Root: "/srv/api", At: time.Now()}); err != nil {
					t.Fatal(err)
				}
			}
			mark, err := q.Mark(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := q.DropUntil(t.Context(), "api", "/srv/api", mark); err != nil {
				t.Fatal(err)
			}
		}
		push(1)
		before := v()
		push(2)
		if after := v(); after.queue.Depth != before.queue.Depth || after.pushed != before.pushed+2 {
			t.Errorf("before %+v, after %+v", before, after)
		}
	})
}
