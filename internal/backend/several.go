package backend

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/servers"
)

// several is the servers of a store that lies on more than one: each a Backend of its own, whole for the projects that
// lie on it.
type several struct {
	set  *servers.Set
	each []*Backend // by place

	mu     sync.Mutex  // guards what follows
	silent []quiet     // by place
	down   []time.Time // by place: since when it does not answer; zero: it does
}

// quiet is the error of a server that did not answer, for as long as it is not asked again.
type quiet struct {
	err   error
	until time.Time
}

// silenceFor is how long a server that did not answer is left out of questions to all servers, so that each of them
// does not wait for it anew.
const silenceFor = time.Second

// openSeveral opens a store on the servers of targets.
func openSeveral(o Options, urls []string, targets []*rdb.Target) (*Backend, error) {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name()
	}
	s := &several{set: servers.NewSet(names), silent: make([]quiet, len(urls)),
		down: make([]time.Time, len(urls))}
	b := &Backend{Name: Redis, opts: o, several: s}
	for i, url := range urls {
		own := o
		own.Redis = url
		one, err := openRedis(own)
		if err != nil {
			for _, opened := range s.each {
				_ = opened.Close()
			}
			return nil, err
		}
		one.place = place{all: b, number: i, address: addressOf(targets[i])}
		s.each = append(s.each, one)
	}
	b.Index, b.vectors = severalIndexes{s}, severalVectors{s}
	return b, nil
}

// place is where a server stands among several; zero for a store of one server.
type place struct {
	all     *Backend // on all of the servers
	number  int
	address string
}

// Servers are the servers of this store, each a Backend of its own; only b itself where there is one. They close with
// b.
func (b *Backend) Servers() []*Backend {
	if b.several == nil {
		return []*Backend{b}
	}
	return b.several.each
}

// Server is the name of this server among several; "" where it is the only one, or on none.
func (b *Backend) Server() string {
	if b.place.all == nil {
		return ""
	}
	return b.place.all.several.set.Name(b.place.number)
}

// ServerOf is the name of the server that a project lies on; "" where there are not several.
func (b *Backend) ServerOf(project string) string { return b.of(project).Server() }

// Names are the names of all servers of the store that b is or belongs to; nil where there are not several.
func (b *Backend) Names() []string {
	switch {
	case b.place.all != nil:
		return b.place.all.Names()
	case b.several != nil:
		return b.several.set.Names()
	}
	return nil
}

// All is the store of all servers that b belongs to; b itself where it is the only one.
func (b *Backend) All() *Backend {
	if b.place.all == nil {
		return b
	}
	return b.place.all
}

// Owns reports whether a project, or that of an index, lies on this server.
func (b *Backend) Owns(project string) bool {
	return b.place.all == nil || b.place.all.of(project) == b
}

// Mine is what of the error of a question to all servers concerns this one.
func (b *Backend) Mine(err error) error {
	if b.place.all == nil {
		return err
	}
	return servers.ForPlace(err, b.place.number)
}

// of is the server that a project, or an index, lies on.
func (b *Backend) of(index string) *Backend {
	if b.several == nil {
		return b
	}
	return b.several.of(index)
}

// ask asks all servers at once, but those that have just been silent. The answers stand by place; the error is a
// *servers.Fault.
func ask[T any](ctx context.Context, s *several, question func(context.Context, *Backend) (T, error)) ([]T, error) {
	answers, errs := make([]T, len(s.each)), make([]error, len(s.each))
	var asked sync.WaitGroup
	for i, b := range s.each {
		if errs[i] = s.silence(i); errs[i] == nil {
			asked.Go(func() { answers[i], errs[i] = question(ctx, b) })
		}
	}
	asked.Wait()
	if f := s.fault(errs); f != nil {
		s.note(f)
		return answers, f
	}
	return answers, nil
}

// tell is ask for what has no answer.
func (s *several) tell(ctx context.Context, question func(context.Context, *Backend) error) error {
	_, err := ask(ctx, s, func(ctx context.Context, b *Backend) (struct{}, error) { return struct{}{}, question(ctx, b) })
	return err
}

func (s *several) silence(i int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.silent[i].until) {
		return s.silent[i].err
	}
	return nil
}

// note remembers who was silent. Where no server answered, it may be the time that was too short.
func (s *several) note(f *servers.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, err := range f.Errors {
		kind := rdb.Classify(err)
		if f.Whole() || kind != rdb.Unreachable && kind != rdb.Deadline || errors.Is(err, context.Canceled) {
			continue
		}
		if now := time.Now(); now.After(s.silent[i].until) {
			s.silent[i] = quiet{err, now.Add(silenceFor)}
		}
	}
}

// Fault is the error of a question to all of several servers; errs are theirs, by place. nil if none failed.
func (b *Backend) Fault(errs []error) error {
	if f := b.several.fault(errs); f != nil {
		return f
	}
	return nil
}

func (s *several) fault(errs []error) *servers.Fault {
	f := &servers.Fault{Set: s.set, Errors: map[int]error{}}
	for i, err := range errs {
		if err != nil {
			f.Errors[i] = err
		}
	}
	if len(f.Errors) == 0 {
		return nil
	}
	return f
}
