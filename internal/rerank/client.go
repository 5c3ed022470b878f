package rerank

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/contextd/contextd/internal/recent"
)

// Errors of Rerank beside ErrReply.
var (
	ErrUnavailable = errors.New("the server gives no reply")
	ErrLate        = errors.New("no reply in time")
)

const (
	maxRequests = 4 // at once
	maxFailures = 3 // in a row, until the server is left alone
	pause       = 30 * time.Second
	maxOrders   = 2000            // that are remembered, at least half of them
	patience    = 2 * time.Second // a server that takes longer fails; less only shows that the question was in a hurry
)

// Client asks a server. Safe for concurrent use.
type Client struct {
	opts  Options
	where string // for people
	api   *openai.Client
	slots chan struct{}
	cache *recent.Map[[sha256.Size]byte, []int] // orders by what was sent

	mu       sync.Mutex
	failures int       // in a row; guarded by mu
	until    time.Time // end of the pause; guarded by mu
}

// New returns a Client. It asks the server nothing yet; the error is of the options.
func New(o Options) (*Client, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	conf := openai.DefaultConfig(o.Key)
	conf.BaseURL, conf.HTTPClient = o.URL, newTransport()
	return &Client{opts: o, where: fmt.Sprintf("%q at %q", o.Model, u.Host), api: openai.NewClientWithConfig(conf),
		slots: make(chan struct{}, maxRequests), cache: recent.New[[sha256.Size]byte, []int](maxOrders/2, nil)}, nil
}

// Rerank returns the places of the candidates, from 0, in the order of the model. It takes no more than MaxCandidates.
// An error holds nothing that the server wrote.
func (c *Client) Rerank(ctx context.Context, question string, candidates []Candidate) ([]int, error) {
	if len(candidates) > MaxCandidates {
		return nil, fmt.Errorf("rerank: %d candidates; want at most %d", len(candidates), MaxCandidates)
	}
	text, err := prompt(question, candidates)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(c.opts.Model + "\x00" + text))
	if order, ok := c.cache.Get(key); ok {
		return slices.Clone(order), nil
	}
	if c.resting() {
		return nil, fmt.Errorf("rerank with %s: left alone after failures: %w", c.where, ErrUnavailable)
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("rerank with %s: %w", c.where, ErrLate)
	}
	began := time.Now()
	order, err := c.ask(ctx, text, len(candidates))
	if err != nil {
		c.note(ctx, err, time.Since(began))
		return nil, fmt.Errorf("rerank with %s: %w", c.where, err)
	}
	c.note(ctx, nil, 0)
	c.cache.Put(key, slices.Clone(order))
	return order, nil
}

// ask sends one request.
func (c *Client) ask(ctx context.Context, text string, n int) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Limit)
	defer cancel()
	resp, err := c.api.CreateChatCompletion(ctx,
		openai.ChatCompletionRequest{Model: c.opts.Model, Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: rules}, {Role: openai.ChatMessageRoleUser, Content: text}}})
	var status statusError
	var broken *url.Error
	switch {
	case err == nil && len(resp.Choices) == 0:
		return nil, fmt.Errorf("%w: it holds no choice", ErrReply)
	case err == nil:
		return Parse(resp.Choices[0].Message.Content, n)
	case ctx.Err() != nil:
		return nil, ErrLate
	case errors.Is(err, ErrReply), errors.Is(err, ErrUnavailable):
		return nil, err
	case errors.As(err, &status):
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, status)
	case errors.As(err, &broken):
		return nil, fmt.Errorf("%w: no connection, or it broke", ErrUnavailable)
	}
	return nil, ErrReply // no JSON of this API
}

// resting reports whether the server is left alone.
func (c *Client) resting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.until)
}

// note counts failures in a row. A bad reply is an answer of the server, and what the caller gave up says nothing of
// it.
func (c *Client) note(ctx context.Context, err error, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil || errors.Is(err, ErrReply):
		c.failures = 0
		return
	case errors.Is(ctx.Err(), context.Canceled), errors.Is(err, ErrLate) && took < patience:
		return
	}
	if c.failures++; c.failures >= maxFailures {
		c.failures, c.until = 0, time.Now().Add(pause)
	}
}
