package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestSkippedFilesAreListedWithReasonAndRule(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.write(".contextdignore", "private/\n*.log\n")
		w.write("private/notes.txt", "nothing\n")
		for _, name := range []string{"a.log", "b.log", "c.log"} {
			w.write("logs/"+name, "line\n")
		}
		w.write("src/data.go", "package src\n\nvar x = \"\x00\"\n")
		w.index("web")
		var v retrieve.Skipped
		w.get(&v, "GET", "/v1/projects/web/skipped", "")
		if v.Project != "web" || v.Root != w.root || v.More || v.Counts[code.Ignored] != 4 ||
			v.Counts[code.Binary] != 1 || !slices.IsSortedFunc(v.Files, func(a, b retrieve.SkippedFile) int {
			return strings.Compare(a.Path, b.Path)
		}) {
			t.Errorf("%+v", v)
		}
		for _, f := range v.Files { // as "why" says of one path
			var one retrieve.Verdict
			if w.get(&one, "GET", "/v1/projects/web/why?path="+f.Path, ""); one.Reason != f.Reason ||
				one.Detail != f.Detail {
				t.Errorf("%+v, alone %+v", f, one)
			}
			if f.Path == "private" && !f.Dir {
				t.Errorf("%+v is a folder", f)
			}
		}
		var few retrieve.Skipped
		if w.get(&few, "GET", "/v1/projects/web/skipped?reason=ignored&limit=2", ""); len(few.Files) != 2 ||
			!few.More || few.Counts[code.Binary] != 1 || few.Files[0].Reason != code.Ignored {
			t.Errorf("two of one reason: %+v", few)
		}
		w.refused(notFound, "GET", "/v1/projects/other/skipped", "")
		w.refused(invalidRequest, "GET", "/v1/projects/web/skipped?limit=1001", "")
		w.refused(invalidRequest, "GET", "/v1/projects/web/skipped?reason=No%20such", "")
	})
}
