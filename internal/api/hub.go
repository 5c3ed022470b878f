package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	client "github.com/contextd/contextd/clients/go"
)

// The types of events.
const (
	eventReady     = "ready"             // the first of each connection: from now on nothing is missed
	eventAssembled = "context_assembled" // a prompt's context was compiled here
	eventMemory    = "memory_changed"    // an agent's memory was changed here
	eventBlocker   = "blocker_changed"   // a task was blocked, or can go on, here
	eventTask      = "task_completed"    // a task was recorded here
	// a project's index has another generation, nothing waits for it any more, or it is gone
	eventIndex = "index_changed"
	eventQueue = "queue_changed" // the counts of the queue are others, or requests came
)

// eventTypes are what a listener may choose from.
var eventTypes = []string{eventAssembled, eventMemory, eventTask, eventBlocker, eventIndex, eventQueue}

// event is one message to listeners, whose data is encoded once somebody wants it.
type event struct {
	client.Event
	data any
}

const (
	maxListeners = 64
	maxBehind    = 64              // messages that a listener may be behind before it is dropped
	lookTime     = 2 * time.Second // how long one look may take
)

// listener is one connection. It is fed by the hub and never waited for.
type listener struct {
	wants func(*event) bool
	feed  chan []byte
	lost  chan struct{} // closed by the hub when the listener was too slow
	done  chan struct{} // closed by the hub when the server stops
}

// view is what is looked at for listeners, since it is changed by other processes.
type view struct {
	queue    client.QueueCounts
	pushed   int64 // requests since the queue was begun
	claimed  int64 // claims since then, retries among them
	projects map[string]client.Project
}

// hub passes events on. While there is a listener, and only then, it looks at index and queue.
type hub struct {
	look  func(context.Context) (view, error)
	every time.Duration
	now   func() time.Time
	log   *slog.Logger

	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup // listeners and the one that looks

	mu        sync.Mutex
	listeners map[*listener]bool
	last      *view              // as it was looked at last; nil: not known
	rest      context.CancelFunc // ends the one that looks; nil: nobody does
	closed    bool
}

func newHub(
	look func(context.Context) (view, error), every time.Duration, now func() time.Time, log *slog.Logger,
) *hub {
	h := &hub{look: look, every: every, now: now, log: log, listeners: map[*listener]bool{}}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// add lets a listener in; it has to be taken out again by remove. What happens after add returned is not missed.
func (h *hub) add(wants func(*event) bool) (*listener, error) {
	l := &listener{wants: wants, feed: make(chan []byte, maxBehind), lost: make(chan struct{}),
		done: make(chan struct{})}
	h.mu.Lock()
	first := h.rest == nil && !h.closed
	h.mu.Unlock()
	var seen *view
	if first { // without the lock: who publishes is not kept waiting
		seen = h.glance(h.ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, refuse(unavailable, "the server is stopping")
	case len(h.listeners) >= maxListeners:
		return nil, refuse(tooMany, "%d listeners are connected, no more are taken", maxListeners)
	}
	l.feed <- encode(h.event(eventReady, "", "", struct{}{}))
	h.listeners[l] = true
	h.work.Add(1)
	if h.rest == nil {
		var ctx context.Context
		ctx, h.rest = context.WithCancel(h.ctx)
		h.last = seen
		h.work.Go(func() { h.watch(ctx) })
	}
	return l, nil
}

// glance looks at index and queue; nil where they do not tell.
func (h *hub) glance(ctx context.Context) *view {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	v, err := h.look(ctx)
	if err != nil {
		h.log.Debug("index and queue not looked at", "error", err)
		return nil
	}
	return &v
}

// remove takes a listener out.
func (h *hub) remove(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if delete(h.listeners, l); len(h.listeners) == 0 && h.rest != nil {
		h.rest()
		h.rest = nil
	}
	h.work.Done()
}

// publish sends an event to those who want it. It waits for nobody: who is too far behind is dropped.
func (h *hub) publish(kind, project, agent string, data any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(h.event(kind, project, agent, data))
}

// send is publish with h.mu held.
func (h *hub) send(e *event) {
	var message []byte
	for l := range h.listeners {
		if !l.wants(e) {
			continue
		}
		if message == nil {
			message = encode(e)
		}
		select {
		case l.feed <- message:
		default:
			select {
			case <-l.lost:
			default:
				close(l.lost)
			}
		}
	}
}

// event is one of now.
func (h *hub) event(kind, project, agent string, data any) *event {
	return &event{client.Event{Type: kind, At: h.now().UTC(), Project: project, Agent: agent}, data}
}

func encode(e *event) []byte {
	e.Data, _ = json.Marshal(e.data) // our own types always encode
	message, _ := json.Marshal(e.Event)
	return message
}

// watch looks until ctx ends.
func (h *hub) watch(ctx context.Context) {
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		seen := h.glance(ctx)
		h.mu.Lock()
		if seen != nil && ctx.Err() == nil { // else another looks already
			h.compare(seen)
		}
		h.mu.Unlock()
	}
}

// compare sends what has changed since it was looked at last. h.mu is held.
func (h *hub) compare(seen *view) {
	last := h.last
	if h.last = seen; last == nil {
		return
	}
	for id, p := range seen.projects {
		was, ok := last.projects[id]
		applied := was.Pending > 0 && p.Pending == 0 // a writer who waits for that learns the generation
		if !ok || applied || was.Generation != p.Generation || was.Root != p.Root || was.Stale != p.Stale {
			h.send(h.event(eventIndex, p.ID, "", client.IndexChange{Project: p}))
		}
	}
	for id, p := range last.projects {
		if _, ok := seen.projects[id]; !ok {
			h.send(h.event(eventIndex, p.ID, "", client.IndexChange{Project: p, Removed: true}))
		}
	}
	was, is := last.queue, seen.queue
	was.OldestAgeMS, is.OldestAgeMS = 0, 0 // it grows all the time
	requests, claims := since(last.pushed, seen.pushed), since(last.claimed, seen.claimed)
	if was != is || requests > 0 || claims > 0 {
		h.send(h.event(eventQueue, "", "",
			client.QueueChange{QueueCounts: seen.queue, Requests: requests, Claims: claims}))
	}
}

// since is by how much a count has grown; all of it where the queue was begun again.
func since(was, is int64) int64 {
	if is < was {
		return is
	}
	return is - was
}

// close ends all listeners and waits for them.
func (h *hub) close() {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		for l := range h.listeners {
			close(l.done)
		}
	}
	h.mu.Unlock()
	h.stop()
	h.work.Wait()
}
