package modelhttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBaseURLIsWhatPeopleMean(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://127.0.0.1:11434": "http://127.0.0.1:11434/v1", " https://h/ ": "https://h/v1",
		"https://h/v1/embeddings": "https://h/v1",
		"https://h/embeddings/":   "https://h/v1", "https://h/api/v3/": "https://h/api/v3",
		"http://h:port": "http://h:port",
	} {
		if got := BaseURL(raw, "/embeddings"); got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	}
}

func TestClientFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other server was asked")
	}))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	resp, err := Client(1).Post(s.URL, "text/plain", strings.NewReader("source text"))
	if err != nil || resp.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
}

func TestModelNamesAreOneWord(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"m":                      true,
		"org/model:1.5-q4":       true,
		strings.Repeat("m", 200): true,
		"":                       false,
		"a b":                    false,
		"a\n":                    false,
		"a\x7f":                  false,
		strings.Repeat("m", 201): false,
	} {
		if ModelName(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}
