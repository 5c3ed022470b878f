//go:build unix

package e2etest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrAway is the error of a request that got no whole answer: the server is down, or went down meanwhile.
var ErrAway = errors.New("no answer from the server")

// Post sends a document and returns status and body of the answer.
func (d *Daemon) Post(ctx context.Context, path string, doc any) (code int, body []byte, err error) {
	in, err := json.Marshal(doc)
	if err != nil {
		return 0, nil, fmt.Errorf("post to %s: %w", path, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL+path, bytes.NewReader(in))
	if err != nil {
		return 0, nil, fmt.Errorf("post to %s: %w", path, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Close = true
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	defer reply.Body.Close()
	if body, err = io.ReadAll(reply.Body); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	return reply.StatusCode, body, nil
}

// Search asks POST /v1/search. An error that is not ErrAway is a broken promise.
func (d *Daemon) Search(ctx context.Context, request map[string]any) (*Reply, error) {
	began := time.Now()
	code, body, err := d.Post(ctx, "/v1/search", request)
	if err != nil {
		return nil, err
	}
	reply := &Reply{Took: time.Since(began)}
	if code != http.StatusOK {
		return nil, fmt.Errorf("/v1/search says %d, %s", code, body)
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return nil, fmt.Errorf("read the reply of /v1/search: %w: %s", err, body)
	}
	if err := reply.check(); err != nil {
		return nil, fmt.Errorf("/v1/search says %s: %w", short(string(body)), err)
	}
	return reply, nil
}
