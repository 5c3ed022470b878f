package retrieve_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestAQuestionThatIsAFilesNameOrPathShowsThatFile(t *testing.T) {
	root, on, _ := onBoth(t, map[string]string{
		"quay/named.go":     "package quay\n\nconst most = 3\n\n// Named is a ship with a name.\ntype Named struct{ name string }\n",
		"quay/ship.go":      "package quay\n\n// named counts. named.go and quay/named.go say what a name is.\nfunc named() int { return most }\n",
		"boat/deep/ship.go": "package deep\n\nfunc Ship() {}\n",
		"tides.txt":         "high at noon\n",
		"boat/Makefile.in":  "all:\n\techo boat\n",
	})
	for question, want := range map[string]string{
		"named.go":                              "quay/named.go",
		"quay/named.go":                         "quay/named.go",
		"./quay/named.go":                       "quay/named.go",
		`quay\named.go`:                         "quay/named.go",
		"Named.go":                              "quay/named.go",
		" named.go\n":                           "quay/named.go",
		filepath.Join(root, "quay", "named.go"): "quay/named.go",
		"ship.go":                               "quay/ship.go", // nearer to the top
		"deep/ship.go":                          "boat/deep/ship.go",
		"tides.txt":                             "tides.txt",
		"Makefile.in":                           "boat/Makefile.in",
		"/srv/elsewhere/tides.txt":              "",
		"amed.go":                               "", // half a name
	} {
		for name, rt := range on {
			r := rt.Query(context.Background(),
				retrieve.Request{Text: question, Target: access.Target{Project: "p", Root: root},
					Deadline: time.Minute}.WithGuesses())
			strong := len(r.Results) > 0 && r.Results[0].Grade == gates.Strong
			switch {
			case want == "" && strong:
				t.Errorf("%s: %q is answered by %s for sure, though no file is meant", name, question,
					r.Results[0].Path)
			case want != "" && (!strong || r.Results[0].Path != want):
				t.Errorf("%s: %q is answered by %v, want %s, strong", name, question, where(r.Results), want)
			}
		}
	}
	for name, rt := range on {
		r := rt.Query(context.Background(),
			retrieve.Request{Text: "named.go", Target: access.Target{Project: "p", Root: root}, Deadline: time.Minute})
		if len(r.Results) == 0 || r.Results[0].Symbol != "Named" {
			t.Errorf("%s: of named.go %+v is shown, want the type that it is named after", name, r.Results)
		}
	}
}
