package rerank

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/embed/modelhttp"
)

// Options of a Client.
type Options struct {
	// URL is the API's base, such as http://127.0.0.1:11434/v1; without a path it gets /v1. Other machines want https.
	URL   string
	Model string        // as the server calls it
	Key   string        // sent as bearer token; "": none
	Limit time.Duration // for one request; 0 means 10 s
}

// WithDefaults fills what is not set and completes the URL.
func (o Options) WithDefaults() Options {
	o.Limit = cmp.Or(o.Limit, 10*time.Second)
	o.URL = modelhttp.BaseURL(o.URL, "/chat/completions") // Validate tells of what is none
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	if err := CheckURL(o.URL); err != nil {
		return fmt.Errorf("rerank url: %w", err)
	}
	switch {
	case !modelhttp.ModelName(o.Model):
		return fmt.Errorf("rerank model %.200q: want 1 to 200 characters without spaces", o.Model)
	case strings.ContainsAny(o.Key, "\r\n\x00"):
		return errors.New("OPENAI_API_KEY: want one line")
	case o.Limit <= 0:
		return fmt.Errorf("limit must be above 0 (got %v)", o.Limit)
	}
	return nil
}

// CheckURL says what is wrong with the address of a server. It repeats none, for a password may stand in it.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("want https://host/v1, or http://127.0.0.1:port/v1")
	case u.User != nil:
		return errors.New("want no user or password; the key comes only from OPENAI_API_KEY")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want none with ? or #")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New(
			"want https: http sends source text readable over the network, and is taken for loopback only")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
