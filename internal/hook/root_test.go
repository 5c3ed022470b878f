package hook

import (
	"runtime"
	"testing"
)

func TestTheProjectIsTheAgentsOrTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	for name, tt := range map[string]struct{ named, cwd, want string }{
		"the agent's own": {"/srv/web", "/srv/web/src", "/srv/web"}, "the working directory": {"", "/srv/web/src/",
			"/srv/web/src"}, "a relative one is none": {"web", "/srv/web", "/srv/web"},
		"home": {"", "/home/ann", ""}, "home, named": {"/home/ann/", "/srv/web", ""}, "the top": {"", "/", ""},
		"nothing": {"", "", ""}, "a hostile one": {"", "/srv\x00/web", ""},
	} {
		got, err := projectDir(tt.named, tt.cwd, "/home/ann")
		if got != tt.want || (err == nil) == (tt.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestOnlyFilesBelowTheRootCount(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"/srv/web/a.go":      "a.go",
		"/srv/web/x/../b.go": "b.go",
		"/link/web/a.go":     "a.go",
		"/srv/web":           "",
		"/srv/webs/a.go":     "",
		"/srv/web/../a.go":   "",
		"a.go":               "",
	} {
		if got, ok := relativeToRoot(file, "/srv/web", "/link/web"); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", file, got, ok)
		}
	}
}
