package api

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestForeignHostsAndOriginsAreRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	own := strings.TrimPrefix(w.http.URL, "http://")
	for _, host := range []string{"evil.example", "localhost.evil.example:9465", "x"} {
		w.refused(foreignHost, "GET", "/v1/projects", "", "Host", host)
	}
	for _, origin := range []string{
		"http://evil.example", "null", "http://" + own + ".evil.example", "http://localhost:1", "file://",
	} {
		w.refused(foreignOrigin, "GET", "/v1/projects", "", "Origin", origin)
		w.refused(foreignOrigin, "GET", "/v1/events", "", "Origin", origin, "Connection", "Upgrade", "Upgrade",
			"websocket",
			"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
	}
	w.refused(foreignOrigin, "GET", "/v1/projects", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors")
	if a := w.do("GET", "/v1/projects", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
		"navigate"); a.code != 200 {
		t.Errorf("a link: %d %s", a.code, a.body)
	}
	for _, host := range []string{"localhost:9465", "127.0.0.1", "[::1]:9465", own} {
		if a := w.do("GET", "/v1/projects", "", "Host", host, "Origin", "http://"+host); a.code != 200 {
			t.Errorf("own name %s: %d %s", host, a.code, a.body)
		}
	}
}

func TestTokenIsAskedForWhereOneIsSet(t *testing.T) {
	t.Parallel()
	const token = "correct-horse-battery"
	w := setup(t, func(o *Options) { o.Token = token })
	for _, header := range []string{"", "Bearer", "Bearer wrong", "Bearer " + token + "x", "Basic " + token, token} {
		if p := w.refused(unauthorized, "GET", "/v1/projects", "", "Authorization", header); p.Hint == "" {
			t.Errorf("%q: no hint", header)
		}
	}
	if a := w.do("GET", "/v1/projects", ""); a.header.Get("WWW-Authenticate") == "" {
		t.Error("no WWW-Authenticate")
	}
	w.refused(unauthorized, "GET", "/metrics", "")
	w.refused(unauthorized, "GET", "/none", "")
	for _, header := range [][]string{{"Authorization", "Bearer " + token}, {"Authorization", "bearer  " + token},
		{"Sec-WebSocket-Protocol", Protocol + ", " + tokenProtocol +
			base64.RawURLEncoding.EncodeToString([]byte(token))}} {
		if a := w.do("GET", "/v1/projects", "", header...); a.code != 200 {
			t.Errorf("%q: %d %s", header, a.code, a.body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := w.do("GET", path, ""); a.code != 200 {
			t.Errorf("%s: %d", path, a.code)
		}
	}
	if strings.Contains(w.logs.String(), token) {
		t.Error("the token stands in the log")
	}
}

func TestOffLoopbackATokenIsWanted(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		l, err := Listen(addr, "")
		var h interface{ Hint() string }
		if err == nil || !errors.As(err, &h) || !strings.Contains(h.Hint(), "--token-file") {
			t.Errorf("%s: %v", addr, err)
		}
		if l != nil {
			l.Close()
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := Listen(addr, "")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	l, err := Listen("0.0.0.0:0", "secret")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for id, kept := range map[string]bool{
		"run-7:a.b_C":            true,
		"":                       false,
		"a b":                    false,
		"ünicode":                false,
		strings.Repeat("x", 128): true,
		strings.Repeat("x", 129): false,
	} {
		got := w.do("GET", "/v1/projects", "", "X-Request-Id", id).header.Get("X-Request-Id")
		if (got == id) != kept || got == "" {
			t.Errorf("%q became %q", id, got)
		}
	}
	if !strings.Contains(w.logs.String(), `"request_id":"run-7:a.b_C"`) {
		t.Error("the log does not name the request")
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, path := range []string{"/none", "/v1", "/v1/none", "/v1/projects/a/b", "/V1/projects"} {
		w.refused(notFound, "GET", path, "")
	}
	if p := w.refused(methodRefused, "DELETE", "/v1/projects", ""); fmt.Sprint(p.Known) != "[GET]" {
		t.Errorf("known %q", p.Known)
	}
	if a := w.do("GET", "/v1/search", ""); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow %q", a.header.Get("Allow"))
	}
}

func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const path = "/v1/search"
	w.refused(bodyTooLarge, "POST", path, `{"query":"`+strings.Repeat("x", maxBody)+`"}`)
	w.refused(mediaType, "POST", path, `{}`, "Content-Type", "text/plain")
	w.refused(mediaType, "POST", path, `{}`, "Content-Type", "application/json; charset=latin1")
	w.refused(invalidEncoding, "POST", path, "{\"query\":\"\xff\"}")
	for _, body := range []string{
		" ", "[]", `"x"`, "null", "{", `{"query":`, `{"query":"x"} {}`, `{"query":"x"}x`, `{"query":"x",}`,
	} {
		w.refused(invalidJSON, "POST", path, body)
	}
	if p := w.refused(unknownField, "POST", path, `{"query":"x","kk":3}`); p.Field != "kk" {
		t.Errorf("field %q", p.Field)
	}
	for body, field := range map[string]string{`{"query":"x","project":"web","k":"three"}`: "k",
		`{"query":"x","project":"web","k":0}`: "k", `{"query":" ","project":"web"}`: "query",
		`{"query":"x"}`: "project", `{"query":"x","project":"../x"}`: "project", `{"query":"x","root":"web"}`: "root",
		`{"query":"x","project":"web","deadline_ms":-1}`:    "deadline_ms",
		`{"query":"x","project":"web","min_relevance":1.5}`: "min_relevance",
		`{"query":"x","project":"web","stale":"maybe"}`:     "stale",
		`{"query":"x","project":"web","min_generation":-1}`: "min_generation",
		`{"query":"x","project":"web","deadline_ms":1e300}`: "deadline_ms"} {
		if p := w.refused(invalidRequest, "POST", path, body); p.Field != field {
			t.Errorf("%s: field %q, want %q", body, p.Field, field)
		}
	}
	if p := w.refused(unknownField, "GET", "/v1/projects?x=1", ""); p.Field != "x" {
		t.Errorf("field %q", p.Field)
	}
	for _, query := range []string{"limit=1;type=x", "limit=%zz", "%"} {
		w.refused(invalidRequest, "GET", "/v1/projects/web/tasks?"+query, "")
	}
}

func TestABodyThatIsCutOffIsTheClientsFault(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, body := range []string{"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n", "Content-Length: 50\r\n\r\n{}"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.http.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn,
			"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+body); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		a, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || a.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %+v, %v", body, a, err)
		}
		conn.Close()
	}
}

func TestPanicCostsOneRequest(t *testing.T) {
	t.Parallel()
	w := setup(t)
	h := w.srv.observe(func(http.ResponseWriter, *http.Request) (string, error) { panic("out of cheese") })
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(context.Background(), "GET", "/x", nil))
	if rec.Code != 500 || !strings.Contains(rec.Body.String(), typePrefix+"internal") ||
		strings.Contains(rec.Body.String(), "cheese") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if !strings.Contains(w.logs.String(), "out of cheese") ||
		!strings.Contains(w.logs.String(), rec.Header().Get("X-Request-Id")) {
		t.Error("the log does not tell of it")
	}
}

func TestMetricsAndHealthAreServed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.do("GET", "/v1/projects", "")
	body := string(w.do("GET", "/metrics", "").body)
	for _, want := range []string{
		`contextd_http_requests_total{code="200",route="GET /v1/projects"}`, "contextd_http_seconds_count",
		"contextd_retrieval_seconds_count",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if a := w.do("GET", "/readyz", ""); a.code != 200 {
		t.Errorf("/readyz: %d %s", a.code, a.body)
	}
}
