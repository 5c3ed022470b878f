package servers_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/servers"
)

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("redis-%d:6379", i))
	}
	return all
}

// They were computed by another program, as docs/OPERATIONS.md shows:
// printf 'redis-1:6379 %s' $(printf web | sha256sum | cut -c1-8) | sha256sum.
func TestAnotherProgramComputesTheSamePlaces(t *testing.T) {
	t.Parallel()
	set := servers.NewSet(names(3))
	if got := servers.Key("web"); got != "4b5e57f6" {
		t.Errorf("Key(web) = %q", got)
	}
	for project, want := range map[string]string{"web": "redis-0:6379", "cli": "redis-2:6379", "docs-1a2b3c4d": "redis-1:6379"} {
		if got := set.Name(set.Of(project)); got != want {
			t.Errorf("project %q lies on %q, want %q", project, got, want)
		}
	}
}

func TestProjectsAreSpreadEvenlyOverTheServers(t *testing.T) {
	t.Parallel()
	const projects = 10_000
	for _, n := range []int{2, 3, 5, 8} {
		set, count := servers.NewSet(names(n)), make([]int, n)
		for i := range projects {
			count[set.Of(fmt.Sprintf("project-%d", i))]++
		}
		for i, c := range count {
			if share := projects / n; c < share*9/10 || c > share*11/10 {
				t.Errorf("of %d servers %q has %d of %d projects, want %d within a tenth", n, set.Name(i), c, projects, share)
			}
		}
	}
}

func TestOneServerMoreTakesItsShareAndMovesNothingElse(t *testing.T) {
	t.Parallel()
	const projects = 10_000
	before, after := servers.NewSet(names(3)), servers.NewSet(names(4))
	moved := 0
	for i := range projects {
		project := fmt.Sprintf("project-%d", i)
		was, is := before.Name(before.Of(project)), after.Name(after.Of(project))
		switch {
		case was == is:
		case is != after.Name(3):
			t.Fatalf("project %q moved from %q to %q, which is not new", project, was, is)
		default:
			moved++
		}
	}
	if moved < projects/4*9/10 || moved > projects/4*11/10 {
		t.Errorf("%d of %d projects moved, want a quarter", moved, projects)
	}
}

func TestTheOrderOfTheServersDoesNotMatter(t *testing.T) {
	t.Parallel()
	list := names(5)
	a := servers.NewSet(list)
	slices.Reverse(list)
	b := servers.NewSet(list)
	for i := range 1000 {
		project := fmt.Sprintf("project-%d", i)
		if x, y := a.Name(a.Of(project)), b.Name(b.Of(project)); x != y {
			t.Fatalf("project %q lies on %q or %q, by the order of the list", project, x, y)
		}
	}
}

func TestAFaultConcernsOnlyTheOwnersOfItsServers(t *testing.T) {
	t.Parallel()
	set, down := servers.NewSet(names(3)), errors.New("connection refused")
	fault := fmt.Errorf("list projects: %w", &servers.Fault{Set: set, Errors: map[int]error{1: down}})
	if !servers.Partial(fault) || !errors.Is(fault, down) {
		t.Errorf("%v: want a partial fault by %v", fault, down)
	}
	for i := range 100 {
		project := fmt.Sprintf("project-%d", i)
		if got, want := servers.ForOwner(fault, project) != nil, set.Of(project) == 1; got != want {
			t.Errorf("the fault concerns project %q: %v, want %v", project, got, want)
		}
	}
	if other := errors.New("other"); servers.ForOwner(other, "web") != other || servers.Partial(other) {
		t.Error("another error concerns everybody")
	}
	if servers.Partial(&servers.Fault{Set: servers.NewSet(names(1)), Errors: map[int]error{0: down}}) {
		t.Error("a fault of all servers is partial")
	}
}

func TestFaultsOfTwoQuestionsAreOneOfTheServersOfBoth(t *testing.T) {
	t.Parallel()
	set, down := servers.NewSet([]string{"a", "b", "c"}), errors.New("down")
	of := func(places ...int) error {
		f := &servers.Fault{Set: set, Errors: map[int]error{}}
		for _, i := range places {
			f.Errors[i] = down
		}
		return f
	}
	if states := servers.Missing(servers.Join(of(0), of(2))); len(states) != 3 || states[0].Error == "" || states[1].Error != "" || states[2].Error == "" {
		t.Errorf("missing: %+v", states)
	}
	broken := errors.New("broken")
	if err := servers.Join(of(0), broken); err != broken || servers.Join(nil, broken) != broken || servers.Join(broken, nil) != broken {
		t.Errorf("what is no fault of servers is hidden: %v", err)
	}
	for err, want := range map[error]bool{nil: true, of(1): true, of(0, 1, 2): false, broken: false} {
		if servers.Enough(err, 1) != want || servers.Enough(err, 0) != (err == nil) {
			t.Errorf("with %v: one item is an answer: %v, none: %v", err, servers.Enough(err, 1), servers.Enough(err, 0))
		}
	}
}
