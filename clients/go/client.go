package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultURL is where a server listens unless it was told otherwise.
const DefaultURL = "http://127.0.0.1:9465"

// maxReply bounds how much of a reply is read, in bytes.
const maxReply = 64 << 20

// Options of a Client. The zero value is ready for a server on this machine.
type Options struct {
	Token string       // bearer token; "": none is sent
	HTTP  *http.Client // nil means one with a timeout of 30 s
}

// Client asks one server. Safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New makes a client of the server at base; "" means DefaultURL.
func New(base string, o Options) *Client {
	base = cmp.Or(base, DefaultURL)
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	return &Client{base: strings.TrimRight(base, "/"), token: o.Token, http: o.HTTP}
}

// Error is the detail, or the title where there is none.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("%d %s", p.Status, p.Title)
	}
	return p.Detail
}

// Slug is the last part of the type: "not-found".
func (p *Problem) Slug() string { return p.Type[strings.LastIndexByte(p.Type, ':')+1:] }

// Is reports whether err is a problem of a kind, by its slug.
func Is(err error, slug string) bool {
	var p *Problem
	return errors.As(err, &p) && p.Slug() == slug
}

// filled are the parameters that are not "".
func filled(params map[string]string) url.Values {
	q := url.Values{}
	for name, value := range params {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// Call asks for any operation. path starts with "/" and has its parts escaped; body, unless it is nil, is sent as JSON;
// the reply is read into reply, unless that is nil.
func (c *Client) Call(ctx context.Context, method, path string, query url.Values, body, reply any) error {
	if err := c.call(ctx, method, path, query, body, reply); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) call(ctx context.Context, method, path string, query url.Values, body, reply any) error {
	resp, data, err := c.exchange(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return problemOf(resp, data)
	}
	if reply == nil || len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, reply); err != nil {
		return fmt.Errorf("read the reply: %w", err)
	}
	return nil
}

// exchange sends a request and reads what comes back, whatever it says.
func (c *Client) exchange(
	ctx context.Context, method, path string, query url.Values, body any,
) (*http.Response, []byte, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, nil, err
		}
		in = bytes.NewReader(data)
	}
	at := c.base + path
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, at, in)
	if err != nil {
		return nil, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	c.authorize(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		var u *url.Error // its text would name the address a second time
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, nil, fmt.Errorf("read the reply: %w", err)
	}
	return resp, data, nil
}

func (c *Client) authorize(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// problemOf is the problem of a reply; one is made of what something between us and the server has sent.
func problemOf(resp *http.Response, data []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(data, p) != nil || p.Type == "" {
		p = &Problem{Type: "about:blank", Title: http.StatusText(resp.StatusCode), Status: resp.StatusCode,
			Detail: string(data[:min(len(data), 500)]), RequestID: resp.Header.Get("X-Request-Id")}
	}
	return p
}
