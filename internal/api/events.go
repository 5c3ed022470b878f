package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

const (
	// Protocol is the WebSocket subprotocol of GET /v1/events.
	Protocol  = "contextd.v1"
	pingEvery = 20 * time.Second
	pongTime  = 10 * time.Second // how long a listener may take to answer a ping
	writeTime = 5 * time.Second  // how long one message may take to be sent
	closeTime = 2 * time.Second  // how long a listener may take to say goodbye
)

// look is what listeners are told about index and queue.
func (s *Server) look(ctx context.Context) (view, error) {
	b := s.opts.App.Backend
	each := b.Servers()
	if len(each) == 1 {
		return lookAt(ctx, b)
	}
	views, errs := make([]*view, len(each)), make([]error, len(each))
	var looks sync.WaitGroup
	for i, one := range each {
		looks.Go(func() {
			if v, err := lookAt(ctx, one); err == nil {
				views[i] = &v
			} else {
				errs[i] = err
			}
		})
	}
	looks.Wait()
	if fault := b.Fault(errs); fault != nil && !servers.Partial(fault) {
		return view{}, fault
	}
	return s.seen.merge(views), nil
}

// lastViews are what was last seen of each of several servers: while one does not answer, nothing of it changes. Safe
// for concurrent use.
type lastViews struct {
	mu   sync.Mutex // guards what follows
	each []*view    // by place
}

// merge adds up views; nil is one that was not seen now.
func (l *lastViews) merge(views []*view) view {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.each == nil {
		l.each = make([]*view, len(views))
	}
	all := view{projects: map[string]client.Project{}}
	for i, v := range views {
		if v != nil {
			l.each[i] = v
		} else if v = l.each[i]; v == nil {
			continue
		}
		all.pushed, all.claimed = all.pushed+v.pushed, all.claimed+v.claimed
		q := &all.queue
		q.Depth, q.Delayed, q.Inflight = q.Depth+v.queue.Depth, q.Delayed+v.queue.Delayed, q.Inflight+v.queue.Inflight
		q.Dead, q.OldestAgeMS = q.Dead+v.queue.Dead, max(q.OldestAgeMS, v.queue.OldestAgeMS)
		maps.Copy(all.projects, v.projects)
	}
	return all
}

// lookAt is look at one server.
func lookAt(ctx context.Context, b *backend.Backend) (view, error) {
	st, err := b.Stats(ctx)
	if err != nil {
		return view{}, err
	}
	states, err := b.Projects(ctx, "")
	if err != nil {
		return view{}, err
	}
	pushed, err := b.Pushed(ctx)
	if err != nil {
		return view{}, err
	}
	claimed, err := b.Claimed(ctx)
	if err != nil {
		return view{}, err
	}
	v := view{pushed: pushed, claimed: claimed, queue: wire.QueueCounts(st), projects: map[string]client.Project{}}
	for _, p := range states {
		if b.Owns(p.ID) {
			v.projects[p.ID] = wire.Project(p)
		}
	}
	return v, nil
}

// events serves a listener until it goes, falls behind, or the server stops.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	wants, err := s.choice(r)
	if err != nil {
		return err
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		return refuse(upgradeRequired, "events are sent over WebSocket only")
	}
	l, err := s.hub.add(wants)
	if err != nil {
		return err
	}
	defer s.hub.remove(l)
	// Its Origin was compared with Host already.
	conn, err := websocket.Accept(w, r,
		&websocket.AcceptOptions{Subprotocols: []string{Protocol}, InsecureSkipVerify: true})
	if err != nil {
		return asked(err) // it has been answered
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	spoke, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		if _, _, err := conn.Reader(ctx); err == nil {
			close(spoke)
		} else {
			cancel()
		}
	}()
	code, why := stream(ctx, cancel, conn, l, spoke)
	if ctx.Err() == nil {
		defer time.AfterFunc(closeTime, cancel).Stop() // that closes a connection which is read from
		_ = conn.Close(code, why)                      // a listener may be gone
	}
	cancel()
	_ = conn.CloseNow()
	<-read
	return nil
}

// stream writes a listener's messages, and tells how the connection is to be closed.
func stream(
	ctx context.Context, cancel context.CancelFunc, conn *websocket.Conn, l *listener, spoke <-chan struct{},
) (websocket.StatusCode, string) {
	beat := make(chan struct{})
	quit, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		<-beat
	}()
	go func() {
		defer close(beat)
		ping(quit, cancel, conn)
	}()
	for {
		select {
		case <-ctx.Done():
			return websocket.StatusNormalClosure, ""
		case <-l.done:
			return websocket.StatusGoingAway, "the server is stopping"
		case <-l.lost:
			return websocket.StatusTryAgainLater, "too slow: events were missed"
		case <-spoke:
			return websocket.StatusPolicyViolation, "a listener only listens"
		case m := <-l.feed:
			limit, end := context.WithTimeout(ctx, writeTime)
			err := conn.Write(limit, websocket.MessageText, m)
			end()
			if err != nil {
				cancel()
				return websocket.StatusAbnormalClosure, ""
			}
		}
	}
}

// ping finds out whether a silent listener still lives, until ctx ends; gone is called if not.
func ping(ctx context.Context, gone context.CancelFunc, conn *websocket.Conn) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limit, end := context.WithTimeout(ctx, pongTime)
		err := conn.Ping(limit)
		end()
		if err != nil {
			gone()
			return
		}
	}
}

// choice reads what a listener wants: types, separated by commas, of a project, of an agent.
func (s *Server) choice(r *http.Request) (func(*event) bool, error) {
	q := queryOf(r)
	var types []string
	if q["types"] != "" {
		types = strings.Split(q["types"], ",")
	}
	for _, t := range types {
		if !slices.Contains(eventTypes, t) {
			f := wrong("types", "%q is no type of event", t)
			f.known = eventTypes
			return nil, f
		}
	}
	return func(e *event) bool {
		return (len(types) == 0 || slices.Contains(types, e.Type)) &&
			(q["project"] == "" || e.Project == q["project"]) && (q["agent"] == "" || e.Agent == q["agent"])
	}, nil
}
