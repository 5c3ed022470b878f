// Package breaker is a circuit breaker for retrieval: where finding code cost the contexts of a project too much
// several times in a row, code is left out of them for a while, then tried again.
//
// One slow context after a pause makes the next pause twice as long; one that is fast ends it all. The [State] of each
// project lies in the store (the shelf "breaker" of the project, one document), so that servers and commands share it
// and status shows it. It is written only where a context was slow, or the first is fast again.
package breaker

import "time"

// Defaults of a Rule.
const (
	DefaultLimit    = 500 * time.Millisecond
	DefaultStrikes  = 3
	DefaultPause    = time.Minute
	DefaultMaxPause = time.Hour
)

// Rule says when retrieval is turned off, and for how long. The zero value never does.
type Rule struct {
	Limit    time.Duration // what finding code may cost a context; 0: anything
	Strikes  int           // contexts in a row over it that turn retrieval off
	Pause    time.Duration // for how long, the first time
	MaxPause time.Duration // for how long at most
}

// Default is the rule with a limit.
func Default(limit time.Duration) Rule {
	return Rule{Limit: limit, Strikes: DefaultStrikes, Pause: DefaultPause, MaxPause: DefaultMaxPause}
}

// State is what is known of a project's retrieval. The zero value: nothing was slow.
type State struct {
	Slow   int           `json:"slow"`   // contexts in a row over the limit
	Pauses int           `json:"pauses"` // since retrieval was last fast
	At     time.Time     `json:"at"`     // when this was noted
	Until  time.Time     `json:"until"`  // retrieval is off until then
	Took   time.Duration `json:"took"`   // the last slow one
}

// Off reports whether retrieval is off at a time.
func (s State) Off(now time.Time) bool { return now.Before(s.Until) }

// After is the state after a context whose search began and took so long. One that began before retrieval was turned
// off says nothing new.
func (r Rule) After(s State, began time.Time, took time.Duration) State {
	now := began.Add(took)
	switch {
	case r.Limit <= 0, began.Before(s.Until):
		return s
	case took <= r.Limit:
		return State{}
	}
	s.Slow, s.At, s.Took = s.Slow+1, now, took
	if s.Slow >= r.Strikes || s.Pauses > 0 {
		s.Until = now.Add(min(r.MaxPause, r.Pause<<min(s.Pauses, 20)))
		s.Pauses++
	}
	return s
}
