package queue

import (
	"testing"
	"time"
)

func TestABacklogTellsAProjectFromAll(t *testing.T) {
	t.Parallel()
	list := []Waiting{
		{Project: "web", Paths: 2, Oldest: time.Second},
		{Project: "web", Broken: "wrong type"},
		{Project: "app", Paths: 3, Oldest: time.Minute},
		{Paths: 4, Oldest: 2 * time.Second}, // may be any project's
	}
	got := BacklogOf(list, func(x Waiting) bool { return x.Project == "web" })
	if want := (Backlog{Paths: 6, Oldest: 2 * time.Second, Broken: true, AllProjects: 3, AllPaths: 9}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
