package rank

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestATypeThatATaskNamesInPassingIsNoSureAnswer(t *testing.T) {
	t.Parallel()
	for task, aside := range map[string]bool{
		"Use `BerthKeeper` for the stale crane lease":                          true,
		"Emit a warning when BerthKeeper is used for the stale crane lease":    true,
		"Fix the stale crane lease with the BerthKeeper":                       true,
		"Fix the stale crane lease via BerthKeeper":                            true,
		"Fix the stale crane lease in BerthKeeper":                             false,
		"Fix BerthKeeper using the stale crane lease":                          false,
		"BerthKeeper: renew the stale crane lease":                             false,
		"Fix the stale crane lease in BerthKeeper when BerthKeeper is used":    false,
		"Fix the stale crane lease with RenewStale, which BerthKeeper lost":    false,
		"Fix the stale crane lease with the BerthKeeper of `StaleCrane` again": false,
	} {
		files := []*code.File{
			define(define(file("harbour/berth_keeper.go",
				[]string{"BerthKeeper", "berth", "stale", "crane", "lease", "renew", "warning"}), 0, "BerthKeeper",
				code.KindType), 0, "StaleCrane", code.KindFunc)}
		for _, p := range []code.Path{
			"a/a.go", "a/b.go", "a/c.go", "b/a.go", "b/b.go", "b/c.go", "c/a.go", "c/b.go", "c/c.go",
			"d/a.go", "d/b.go",
		} {
			files = append(files, file(p, []string{"tide", "ship", p}))
		}
		q := Parse(task)
		got := score(t, task, files...)
		if q.Shape != Task || got[0].File != 0 {
			t.Errorf("%q is a %v answered by %s first", task, q.Shape, files[got[0].File].Path)
		}
		if r := got[0].Relevance; aside != (r == asideRelevance) || !aside && r < .85 {
			t.Errorf("%q: relevance %v", task, r)
		}
	}
}

func TestATypeThatAQuestionNamesIsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"BerthKeeper", "what happens with BerthKeeper", "lease with BerthKeeper"} {
		s := &scorer{q: Parse(text)}
		rows := []row{{idents: []identDef{{strength: 1, kind: code.KindType}}}}
		if s.passing([]Scored{{File: 0}}, rows) || s.passing(nil, nil) {
			t.Errorf("%q names the type in passing", text)
		}
	}
}
