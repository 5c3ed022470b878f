package api

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/web"
)

// public are the paths that ask for no token beside the files of the dashboard: what watches over the process has none.
var public = map[string]bool{"/healthz": true, "/readyz": true}

// admit refuses who may not speak to this server.
func (s *Server) admit(r *http.Request) error {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && at.IP.IsLoopback() &&
		!obs.OwnName(r.Host) {
		return &fault{slug: foreignHost, err: refuse(foreignHost, "the Host header %q names another machine", r.Host),
			hint: "use localhost or an address"}
	}
	if !sameOrigin(r) {
		return refuse(foreignOrigin, "a page of %q may not talk to %q", cmp.Or(r.Header.Get("Origin"), "another site"),
			r.Host)
	}
	if s.token != nil && !public[r.URL.Path] && !web.Has(r.URL.Path) && !s.knows(r) {
		return &fault{slug: unauthorized, err: refuse(unauthorized, "no token, or a wrong one"),
			hint: "send the header Authorization: Bearer TOKEN"}
	}
	return nil
}

// sameOrigin reports whether a request comes from no page, or from one that this server sent. A link that somebody
// followed is no request of the page that it stood in.
func sameOrigin(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return false // an image, a script: browsers send no Origin with these
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// tokenProtocol goes before a token, in base64 for URLs without padding, among the subprotocols of a WebSocket: a page
// cannot set its headers.
const tokenProtocol = "contextd.token."

// knows reports whether a request holds the token. The time that takes tells nothing about it: sums of one length are
// compared.
func (s *Server) knows(r *http.Request) bool {
	given := ""
	if kind, rest, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") {
		given = strings.TrimSpace(rest)
	} else {
		for _, p := range protocols(r) {
			if b, ok := strings.CutPrefix(p, tokenProtocol); ok {
				if text, err := base64.RawURLEncoding.DecodeString(b); err == nil {
					given = string(text)
				}
			}
		}
	}
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], s.token) == 1
}

// protocols are the subprotocols that a WebSocket handshake offers.
func protocols(r *http.Request) []string {
	var all []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(p))
		}
	}
	return all
}
