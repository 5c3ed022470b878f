package rerank

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/contextd/contextd/internal/embed/modelhttp"
)

// maxBody bounds the HTTP body of a reply in bytes: servers put a model's thoughts beside the text.
const maxBody = 1 << 20

// transport is the HTTP client below go-openai: it reads a bounded reply whole.
type transport struct{ client *http.Client }

func newTransport() *transport { return &transport{modelhttp.Client(maxRequests)} }

// Do implements go-openai's HTTPDoer. A status that is no success is an error that holds nothing of the body.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the connection ended within the reply", ErrUnavailable)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrReply, maxBody)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// statusError is an HTTP status that is no success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }
