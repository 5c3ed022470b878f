package mcp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestOverHTTPThereAreNoSessions(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Engine: &engine{}})
	if err != nil {
		t.Fatal(err)
	}
	ids := make(chan string, 100)
	h := s.Handler(1 << 20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		ids <- w.Header().Get("Mcp-Session-Id") + r.Header.Get("Mcp-Session-Id")
	}))
	defer srv.Close()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: srv.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, failed := call(t, c, "search_code", args{"query": "x"}); failed {
		t.Error(got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	close(ids)
	for id := range ids {
		if id != "" {
			t.Errorf("a session %q", id)
		}
	}
}
