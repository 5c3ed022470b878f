// Package web serves the dashboard: the page at / and what it is made of below /ui/.
//
// Package api mounts it behind its own guard. The files are built from the folder web of the repository by tools/web,
// committed and embedded, so that the binary needs nothing else: not Node.js when it is built, not a network when it
// runs. They hold no data, so they are sent without a token; all data comes over the API, which asks for it.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// Policy is the Content-Security-Policy of the dashboard: scripts, styles and connections of this server only, nothing
// inline, no markup from strings.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// file is one file as it is sent.
type file struct {
	kind         string
	plain        []byte
	packed       []byte // gzip; nil: not smaller
	tag          string // for ETag, without quotes
	cacheControl string
}

// hashed are the names of files that never change their content.
var hashed = regexp.MustCompile(`-[0-9a-f]{12}\.[a-z]+$`)

var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}

// files are the embedded files by the path that they are served at.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	entries, _ := fs.ReadDir(dist, "dist") // it is embedded
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".gz") {
			continue
		}
		data, _ := dist.ReadFile("dist/" + name)
		packed, _ := dist.ReadFile("dist/" + name + ".gz") // there is none for what does not get smaller
		sum := sha256.Sum256(data)
		f := file{kind: kinds[path.Ext(name)], plain: data, packed: packed, tag: hex.EncodeToString(sum[:8]),
			cacheControl: "no-cache"}
		if hashed.MatchString(name) {
			f.cacheControl = "public, max-age=31536000, immutable"
		}
		at := "/ui/" + name
		if name == "index.html" {
			at = "/"
		}
		all[at] = f
	}
	return all
})

// Has reports whether a path of a request is one of the dashboard's files.
func Has(at string) bool {
	_, ok := files()[at]
	return ok
}

// Serve answers a request for a file that the dashboard [Has]; of another path it reports false and sends nothing.
func Serve(w http.ResponseWriter, r *http.Request) bool {
	f, ok := files()[r.URL.Path]
	if !ok {
		return false
	}
	h, body, tag := w.Header(), f.plain, `"`+f.tag+`"`
	if f.packed != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			body, tag = f.packed, `"`+f.tag+`-gz"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", f.cacheControl)
	h.Set("ETag", tag)
	if knownTag(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client is gone
	}
	return true
}

// takesGzip reports whether an Accept-Encoding lists gzip, or anything, without refusing it.
func takesGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "*":
			q, given := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			weight, err := strconv.ParseFloat(q, 64)
			return !given || err == nil && weight > 0
		}
	}
	return false
}

// knownTag reports whether an If-None-Match lists a tag.
func knownTag(list, tag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
