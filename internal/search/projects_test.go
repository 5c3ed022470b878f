package search

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestEachRootOfAProjectHasItsOwnIndex(t *testing.T) {
	t.Parallel()
	further := code.RootIndexID("web", "/two")
	both := []Project{{ID: "web", Root: "/one"}, {ID: further, Root: "/two"}, {ID: "other", Root: "/two"}}
	for name, tt := range map[string]struct {
		projects []Project
		root     string
		want     string
	}{
		"a new project":                   {nil, "/one", "web"},
		"the first root":                  {both, "/one", "web"},
		"the second root":                 {both, "/two", further},
		"a third root":                    {both, "/three", code.RootIndexID("web", "/three")},
		"the first's place is free":       {both[1:], "/one", "web"},
		"what is there stays":             {both[1:], "/two", further},
		"another project's root is its":   {both[2:], "/two", "web"},
		"a record without a root is none": {[]Project{{ID: "web"}}, "/one", "web"},
	} {
		if got := IndexOf(tt.projects, "web", tt.root); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	if p := (Project{ID: further}).ProjectID(); p != "web" {
		t.Errorf("the project of %s: %s", further, p)
	}
	for id, ok := range map[string]bool{further: true, "web": true, "web@": false, "web@xyz": false, "@" + further[4:]: false, "web@0011": false, further + "@": false} {
		if err := code.CheckIndexID(id); (err == nil) != ok {
			t.Errorf("index %q: %v", id, err)
		}
		if err := code.CheckProjectID(id); id != "web" && err == nil {
			t.Errorf("project %q is taken for one", id)
		}
	}
}
