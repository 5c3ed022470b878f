package api

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/prompt"
)

// Before all that a prompt needs is loaded, /readyz says so; from then on the first prompt is whole.
func TestAServerIsReadyOnceAFirstPromptIsFast(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		w.srv.cold.Store(true)
		if a := w.do("GET", "/readyz", ""); a.code != http.StatusServiceUnavailable ||
			!strings.Contains(string(a.body), "warming up") {
			t.Errorf("a cold server: %d %s", a.code, a.body)
		}
		w.srv.cold.Store(false)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.srv.Run(ctx, l) }()
		base := "http://" + l.Addr().String()
		for ready := false; !ready; {
			r, err := http.Get(base + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			ready = r.StatusCode == http.StatusOK
			r.Body.Close()
			time.Sleep(time.Millisecond)
		}
		if !strings.Contains(w.logs.String(), "warmed up") {
			t.Error("ready before it was warm")
		}
		r, err := http.Post(base+"/v1/context", "application/json",
			strings.NewReader(`{"project":"web","agent_kind":"knight","deadline_ms":10000,"task":{"id":"t","title":"Check expiry of session tokens"}}`))
		if err != nil {
			t.Fatal(err)
		}
		var c prompt.Reply
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil || c.Status != prompt.OK || len(c.Reasons) > 0 {
			t.Errorf("first prompt: %+v, %v", c, err)
		}
		r.Body.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
