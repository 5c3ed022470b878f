package code_test

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestProjectIDsAreCheckedAndMade(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"web":     true,
		"A.b_c-9": true,
		"":        false,
		".x":      false,
		"-a":      false,
		"a b":     false,
		"a/b":     false,
		"é":       false,
		"a\n":     false,
	} {
		if err := code.CheckProjectID(id); (err == nil) != ok {
			t.Errorf("CheckProjectID(%q) = %v", id, err)
		}
	}
	for root, start := range map[string]string{
		"/x/my app+x": "my-app-x-",
		"/x/.hidden":  "hidden-",
		"/x/日本":       "root-",
		"/x/_-":       "root-",
	} {
		id := code.DefaultProjectID(root)
		if len(id) != len(start)+8 || id[:len(start)] != start || code.CheckProjectID(id) != nil {
			t.Errorf("DefaultProjectID(%q) = %q", root, id)
		}
	}
}

// What a Lookup reads stays good while it reads other files, and owes nothing to what it read before a Reset.
