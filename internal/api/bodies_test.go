package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// unfinished opens a connection and sends n bytes of a larger body. It gives what the server answers, once it does.
func (w *world) unfinished(n int) (net.Conn, *bufio.Reader) {
	w.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.http.URL, "http://"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	_, _ = fmt.Fprintf(c,
		"POST /v1/context HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		c.RemoteAddr(), n+10)
	_, _ = io.WriteString(c, strings.Repeat(" ", n))
	return c, bufio.NewReader(c)
}

// TestUnfinishedBodiesShareOneBound: bodies that never end hold a bounded part of memory together; what goes beyond is
// refused for a while, small requests are answered all the time, and what was held is free once the connections are
// closed.
func TestUnfinishedBodiesShareOneBound(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const room = 1 << 20
	w.srv.bodies.left.Store(room)
	const size = 128 << 10
	var held []net.Conn
	for range room / (size - freeBody) {
		c, _ := w.unfinished(size)
		held = append(held, c)
	}
	waitFor(t, "the bodies to be held", func() bool { return w.srv.bodies.left.Load() < size-freeBody })
	_, r := w.unfinished(size)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(text), string(busy)) {
		t.Errorf("%d, Retry-After %q: %s", res.StatusCode, res.Header.Get("Retry-After"), text)
	}
	if a := w.do("POST", "/v1/search", `{"query":"Verify"}`); a.code == http.StatusServiceUnavailable {
		t.Errorf("a small request: %d %s", a.code, a.body)
	}
	for _, c := range held {
		c.Close()
	}
	waitFor(t, "the room to be free again", func() bool { return w.srv.bodies.left.Load() == room })
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}
