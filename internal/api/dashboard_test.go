package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/web"
)

// dashboardFiles are the paths of the files that the page names.
func dashboardFiles(t *testing.T, w *world) []string {
	t.Helper()
	found := regexp.MustCompile(`/ui/[a-z0-9.-]+`).FindAllString(string(w.do("GET", "/", "").body), -1)
	if len(found) != 3 {
		t.Fatalf("the page names %q, want a script, a style sheet and an icon", found)
	}
	return found
}

func TestDashboardIsServedStrictlyAndCached(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, at := range append(dashboardFiles(t, w), "/") {
		a := w.do("GET", at, "")
		for name, want := range map[string]string{"Content-Security-Policy": web.Policy,
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"X-Frame-Options": "DENY"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", at, name, got, want)
			}
		}
		if cached := strings.Contains(a.header.Get("Cache-Control"), "immutable"); cached != (at != "/") {
			t.Errorf("%s: Cache-Control %q", at, a.header.Get("Cache-Control"))
		}
		tag := a.header.Get("ETag")
		if again := w.do("GET", at, "", "If-None-Match", tag); again.code != http.StatusNotModified ||
			len(again.body) != 0 {
			t.Errorf("%s: %d with its own ETag %q", at, again.code, tag)
		}
		if other := w.do("GET", at, "", "If-None-Match", `"other"`); other.code != http.StatusOK {
			t.Errorf("%s: %d with another ETag", at, other.code)
		}
	}
	if strings.Contains(web.Policy, "unsafe") || strings.Contains(web.Policy, "http") {
		t.Errorf("policy %q", web.Policy)
	}
}

func TestDashboardTakesNoPathOfTheAPI(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, rt := range routes {
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(rt.path, "x")
		if web.Has(path) {
			t.Errorf("%s is a file of the dashboard", path)
		}
		req, _ := http.NewRequest(rt.method, path, nil)
		if _, pattern := w.srv.mux.Handler(req); pattern != rt.method+" "+rt.path {
			t.Errorf("%s %s goes to %q", rt.method, path, pattern)
		}
	}
	for _, path := range []string{
		"/ui/", "/ui/none.js", "/index.html", "/none", "/ui/app.js/x", "/ui/%2e%2e/server.go",
	} {
		if a := w.do("GET", path, ""); a.code == http.StatusOK {
			t.Errorf("%s: %d", path, a.code)
		}
	}
	w.refused(methodRefused, "POST", "/", "{}")
}

func TestDashboardPassesTheGuardOfTheAPI(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Token = testToken })
	for _, at := range append(dashboardFiles(t, w), "/") { // they hold no data: the login is on them
		if a := w.do("GET", at, ""); a.code != http.StatusOK {
			t.Errorf("%s without a token: %d", at, a.code)
		}
		w.refused(foreignHost, "GET", at, "", "Host", "evil.example")
		w.refused(foreignOrigin, "GET", at, "", "Origin", "http://evil.example")
	}
	for _, at := range []string{"/v1/agents", "/v1/projects", "/v1/queue", "/ui/none.js", "/v1/events"} {
		w.refused(unauthorized, "GET", at, "")
	}
}
