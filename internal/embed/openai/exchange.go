package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/contextd/contextd/internal/embed/modelhttp"
	"github.com/contextd/contextd/internal/obs"
)

// exchange is one request and what came back, as the transport saw it.
type exchange struct {
	limit  int // bytes that the answer may have
	status int
	after  time.Duration
	nulls  map[int]bool // places in the answer's list whose vector holds a null
	fault  *fault
}

type exchangeKey struct{}

// maxAfter bounds what a server may say with Retry-After.
const maxAfter = time.Hour

// transport is the HTTP client below go-openai: it reads a bounded answer whole and notes what go-openai does not hand
// out.
type transport struct{ client *http.Client }

func newTransport(parallel int) *transport { return &transport{modelhttp.Client(parallel + 1)} }

// Do implements go-openai's HTTPDoer.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	x := req.Context().Value(exchangeKey{}).(*exchange)
	resp, err := t.client.Do(req)
	if err != nil {
		x.fault = broken(err)
		return nil, err
	}
	defer resp.Body.Close()
	x.status = resp.StatusCode
	x.after = retryAfter(resp.Header, time.Now())
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(x.limit)+1))
	switch {
	case err != nil && x.status < 300:
		x.fault = broken(err)
		return nil, err
	case len(body) > x.limit:
		x.fault = &fault{kind: badAnswer, detail: fmt.Sprintf("the answer is longer than %d bytes", x.limit)}
		return nil, errors.New("answer too long")
	case x.status < 300:
		x.nulls = nulls(body)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// broken is a connection that failed. The error's URL is left out.
func broken(err error) *fault {
	var out *url.Error
	if errors.As(err, &out) {
		err = out.Err
	}
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() {
		return &fault{kind: timeout, detail: "no answer in time"}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault{kind: unreachable, detail: "the connection ended within the answer"}
	}
	return &fault{kind: unreachable, detail: err.Error()}
}

// retryAfter is how long a server asks to be left alone: seconds, milliseconds or a date.
func retryAfter(h http.Header, now time.Time) (d time.Duration) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		d = time.Duration(min(ms, 1e9)) * time.Millisecond
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil && s > 0 {
		d = time.Duration(min(s, 1e6) * float64(time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxAfter)
}

// ask sends texts once. The vectors are unit vectors in the order of texts, nil where the server gave none that can be
// used.
func (e *Embedder) ask(ctx context.Context, texts []string, limit time.Duration) ([][]float32, error) {
	began := time.Now()
	x := &exchange{limit: 1<<20 + len(texts)<<19} // 16,384 numbers of 32 characters each
	within, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), limit)
	defer cancel()
	resp, err := e.client.CreateEmbeddings(within,
		openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(e.opts.Model)})
	if err = e.classify(ctx, x, err); err != nil {
		return nil, err
	}
	vectors, err := e.vectors(len(texts), resp.Data, x.nulls)
	if err == nil {
		took := time.Since(began)
		obs.EmbedSeconds.Observe(took.Seconds())
		if texts[0] != probeText || e.line.fresh() {
			e.line.adjustSize(len(texts), took)
		}
	}
	return vectors, err
}
