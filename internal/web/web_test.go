package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// get asks for a path; header are names and values in turn.
func get(at string, header ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, at, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	if !Serve(w, r) {
		w.Code = http.StatusNotFound
	}
	return w.Result()
}

func body(t *testing.T, resp *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFirstLoadTakesAtMost60KBCompressed(t *testing.T) {
	t.Parallel()
	page := body(t, get("/"))
	sum := len(page)
	for _, at := range regexp.MustCompile(`/ui/[a-z0-9.-]+`).FindAllString(string(page), -1) {
		resp := get(at, "Accept-Encoding", "gzip")
		data := body(t, resp)
		if resp.StatusCode != http.StatusOK || len(data) == 0 {
			t.Fatalf("%s: %d, %d bytes", at, resp.StatusCode, len(data))
		}
		sum += len(data)
	}
	t.Logf("%d bytes", sum)
	if sum < 10_000 || sum > 60_000 {
		t.Errorf("the first load takes %d bytes, want at most 60,000", sum)
	}
}

func TestWhatIsCompressedHoldsTheSame(t *testing.T) {
	t.Parallel()
	packed := 0
	for at, f := range files() {
		plain := get(at)
		if !bytes.Equal(body(t, plain), f.plain) || plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: not sent as it is", at)
		}
		resp := get(at, "Accept-Encoding", "br, gzip;q=0.5")
		if resp.Header.Get("Content-Encoding") != "gzip" {
			continue
		}
		packed++
		r, err := gzip.NewReader(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, f.plain) {
			t.Errorf("%s: compressed it holds something else, %v", at, err)
		}
		if resp.Header.Get("ETag") == plain.Header.Get("ETag") || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v", at, resp.Header)
		}
	}
	if packed < 3 {
		t.Errorf("%d files are compressed", packed)
	}
}

func TestGzipIsSentOnlyToWhoTakesIt(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":            false,
		"gzip":        true,
		"br":          false,
		"br, GZIP":    true,
		"gzip;q=0":    false,
		"gzip; q=0.0": false,
		"*":           true,
		"*;q=0":       false,
		"gzip;q=x":    false,
	} {
		if got := takesGzip(accept); got != want {
			t.Errorf("Accept-Encoding %q: %v, want %v", accept, got, want)
		}
	}
}

func TestPageHoldsNothingInlineAndNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	page := string(body(t, get("/")))
	for _, bad := range []string{"<style", "style=", "onload", "javascript:", "http:", "https:", "//"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q: %s", bad, page)
		}
	}
	if regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(page) {
		t.Errorf("a script stands in the page: %s", page)
	}
	for at, f := range files() {
		if bytes.Contains(f.plain, []byte("dangerouslySetInnerHTML=")) ||
			bytes.Contains(f.plain, []byte("sourceMappingURL")) {
			t.Errorf("%s holds markup made of text, or names a source map", at)
		}
	}
}
