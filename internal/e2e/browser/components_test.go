//go:build web && unix

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/contextd/contextd/internal/web"
	"github.com/contextd/contextd/tools/web/bundle"
)

// The tests of web/test run in the browser, under the policy of the dashboard.
func TestComponents(t *testing.T) {
	script, err := bundle.Script(filepath.Join("..", "..", "..", "web"), filepath.Join("test", "components.tsx"))
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	web.Serve(page, httptest.NewRequest(http.MethodGet, "/", nil))
	style := regexp.MustCompile(`<link rel="stylesheet"[^>]*>`).FindString(page.Body.String())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && web.Serve(w, r) {
			return
		}
		w.Header().Set("Content-Security-Policy", web.Policy)
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>components</title><link rel="icon" href="/icon.svg">`+
				style+`<body><h1>Components</h1><script type="module" src="/test.js"></script>`)
		case "/icon.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
		default:
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(script)
		}
	}))
	t.Cleanup(s.Close)
	p := open(t, s.URL, "")
	p.wait("window.results")
	results := js[[]struct{ Name, Error string }](p, "results")
	if len(results) < 12 {
		t.Errorf("%d tests ran", len(results))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Error != "" {
				t.Error(r.Error)
			}
		})
	}
}
