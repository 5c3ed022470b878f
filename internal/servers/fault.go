package servers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
)

// Fault is the error of servers that did not answer a question to all of them. What the others answered comes with it.
type Fault struct {
	Set    *Set
	Errors map[int]error // by place; never empty
}

func (f *Fault) Error() string {
	var parts []string
	for i := range f.Set.Len() {
		if err := f.Errors[i]; err != nil {
			parts = append(parts, fmt.Sprintf("server %q: %v", f.Set.Name(i), err))
		}
	}
	return strings.Join(parts, "; ")
}

// Unwrap is the error of the first of them, which says what kind of failure it is.
func (f *Fault) Unwrap() error {
	for i := range f.Set.Len() {
		if err := f.Errors[i]; err != nil {
			return err
		}
	}
	return nil
}

// State is one of several servers, as a question to all of them found it.
type State struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"` // why it did not answer
}

// States are all servers, by place.
func (f *Fault) States() []State {
	all := make([]State, f.Set.Len())
	for i := range all {
		all[i].Name = f.Set.Name(i)
		if err := f.Errors[i]; err != nil {
			all[i].Error = safetext.Line(err.Error())
		}
	}
	return all
}

// Partial reports whether other servers answered.
func (f *Fault) Partial() bool { return !f.Whole() }

// Whole reports whether no server answered.
func (f *Fault) Whole() bool { return len(f.Errors) == f.Set.Len() }

// Partial reports whether err is of some servers only: what came with it is all that the others have.
func Partial(err error) bool {
	var f *Fault
	return errors.As(err, &f) && !f.Whole()
}

// Missing are all servers, where some of several did not answer; nil where err is not of servers.
func Missing(err error) []State {
	var f *Fault
	if !errors.As(err, &f) {
		return nil
	}
	return f.States()
}

// Enough reports whether n things, which came with err, are an answer: nothing failed, or there is something and only
// some servers did not answer.
func Enough(err error, n int) bool { return err == nil || n > 0 && Partial(err) }

// Join is what was wrong with two questions: a fault of the servers of both, or what is no fault of servers.
func Join(a, b error) error {
	var x, y *Fault
	switch {
	case a == nil || b == nil:
		return cmp.Or(a, b)
	case !errors.As(a, &x):
		return a
	case !errors.As(b, &y):
		return b
	}
	both := &Fault{Set: x.Set, Errors: maps.Clone(y.Errors)}
	maps.Copy(both.Errors, x.Errors)
	return both
}

// ForOwner is what of err concerns an owner, see [Set.Of]: nil if the server that it lies on answered.
func ForOwner(err error, owner string) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	return ForPlace(err, f.Set.Of(owner))
}

// ForPlace is what of err concerns the server at a place.
func ForPlace(err error, place int) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	if f.Errors[place] == nil {
		return nil
	}
	return fmt.Errorf("server %q: %w", f.Set.Name(place), f.Errors[place])
}
