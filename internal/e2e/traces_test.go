//go:build unix

package e2e

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// spans are what a collector was sent; guarded by mu.
type spans struct {
	mu  sync.Mutex
	all []*otlp.Span
	raw strings.Builder
}

// traced makes all commands of the bundle send their spans to a collector.
func (b *bundle) traced() *spans {
	b.Helper()
	c := &spans{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &q)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			b.Errorf("post to %s: %v", r.URL.Path, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw.Write(body)
		for _, rs := range q.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				c.all = append(c.all, ss.Spans...)
			}
		}
	}))
	b.Cleanup(s.Close)
	b.Env = append(b.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+s.URL, "OTEL_BSP_SCHEDULE_DELAY=100")
	return c
}

// below are the names of the spans of the trace that one of a name began, each under that of its parent.
func (c *spans) below(root, trace string) (names []string, parent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	byID := map[string]*otlp.Span{}
	for _, s := range c.all {
		byID[string(s.SpanId)] = s
	}
	found := map[string]bool{}
	for _, s := range c.all {
		path := s.Name
		for at := s; byID[string(at.ParentSpanId)] != nil; {
			at = byID[string(at.ParentSpanId)]
			path = at.Name + "/" + path
		}
		if id := hex.EncodeToString(s.TraceId); strings.HasPrefix(path, root) && (trace == "" || id == trace) {
			found[path] = true
			if s.Name == root {
				parent = hex.EncodeToString(s.ParentSpanId)
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), parent
}

func (b *bundle) stages(c *spans, root, trace string, want ...string) (parent string) {
	b.Helper()
	b.eventually(func() error {
		names, p := c.below(root, trace)
		parent = p
		for _, w := range want {
			if !slices.Contains(names, w) {
				return fmt.Errorf("no stage %q among %q", w, names)
			}
		}
		return nil
	})
	return parent
}

func TestTracesOfARefreshAndAContextReachACollector(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	c := b.traced()
	b.write("moor.go", "package harbour\n\n// Moor fastens a ship with hemp.\nfunc Moor() {}\n")
	d := b.daemon("--watch", b.root)
	b.stages(c, "run", "", "run/refresh", "run/refresh/walk", "run/refresh/apply", "run/refresh/commit", "run/history")
	b.ok(d.Stop(10 * time.Second))

	s, err := b.World.Serve("--allow-root", b.root)
	b.ok(err)
	b.guard(s)
	b.ok(s.Ready(soon))
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	body := fmt.Sprintf(`{"agent_kind": "knight", "agent": "knight-1", "root": %q, "deadline_ms": 5000, "task": {"id": "t-1", "title": "Fasten ships", "description": "Moor with tarred rope"}}`, b.root)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/context", strings.NewReader(body))
	b.ok(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
	resp, err := http.DefaultClient.Do(req)
	b.ok(err)
	answer, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, answer)
	}
	got := b.stages(c, "context", trace, "context", "context/resolve", "context/code", "context/code/search",
		"context/code/search/nominate", "context/code/search/rank",
		"context/memory", "context/history", "context/usage", "context/choose", "context/compile", "context/keep")
	if got != parent {
		t.Errorf("the parent of the context is %q, want that of the header", got)
	}
	b.ok(s.Stop(10 * time.Second))
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range []string{"hemp", "tarred", "Fasten", "moor.go", b.root} {
		if strings.Contains(c.raw.String(), text) {
			t.Errorf("%q left the machine", text)
		}
	}
}
