// Package modelhttp holds how contextd speaks to servers of models, whatever it asks them for: the address that people
// write, and the HTTP client, which hands source text to nobody but the server that was named.
package modelhttp

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client keeps up to idle connections to a server open.
func Client(idle int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment, // leaves loopback alone
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxIdleConnsPerHost:    idle,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2:      true,
		},
		// A redirect would carry source text to a host that nobody named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// BaseURL turns what people write into the base of an API: without operation, such as /embeddings, at its end, and with
// /v1 where there is no path. What is no URL is returned as it is.
func BaseURL(raw, operation string) string {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	if err != nil {
		return raw
	}
	u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, operation), "/")
	u.Path = cmp.Or(u.Path, "/v1")
	return u.String()
}

// ModelName reports whether a name is one that a server may have for a model: 1 to 200 bytes without spaces and control
// characters.
func ModelName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f
	})
}
