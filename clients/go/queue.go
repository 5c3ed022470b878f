package client

import (
	"context"
	"net/http"
	"time"
)

// Oldest is the age of the oldest waiting change.
func (q QueueCounts) Oldest() time.Duration { return time.Duration(q.OldestAgeMS) * time.Millisecond }

// Queue shows the counts of the queue.
func (c *Client) Queue(ctx context.Context) (*Queue, error) {
	var q Queue
	return &q, c.Call(ctx, http.MethodGet, "/v1/queue", nil, nil, &q)
}

// QueueHistory lists the counts of the queue over the last hour, as far as the server runs since then.
func (c *Client) QueueHistory(ctx context.Context) (*QueueHistory, error) {
	var h QueueHistory
	return &h, c.Call(ctx, http.MethodGet, "/v1/queue/history", nil, nil, &h)
}

// DeadLetters lists the requests that failed for good, the oldest first.
func (c *Client) DeadLetters(ctx context.Context) ([]DeadLetter, error) {
	var reply DeadLetters
	err := c.Call(ctx, http.MethodGet, "/v1/queue/dead", nil, nil, &reply)
	return reply.Dead, err
}

// RetryDead sends dead letters to the queue again, and tells how many of the ids were there and how many were not. No
// id is a problem "invalid-request": RetryAllDead means all.
func (c *Client) RetryDead(ctx context.Context, ids ...string) (retried, unknown int, err error) {
	return c.retry(ctx, RetryRequest{IDs: ids})
}

// RetryAllDead sends all dead letters to the queue again.
func (c *Client) RetryAllDead(ctx context.Context) (retried int, err error) {
	retried, _, err = c.retry(ctx, RetryRequest{All: true})
	return retried, err
}

func (c *Client) retry(ctx context.Context, body RetryRequest) (retried, unknown int, err error) {
	var reply Retried
	err = c.Call(ctx, http.MethodPost, "/v1/queue/dead/retry", nil, body, &reply)
	return reply.Retried, reply.Unknown, err
}

// DropDead removes dead letters, and tells how many of the ids were there and how many were not.
func (c *Client) DropDead(ctx context.Context, ids ...string) (dropped, unknown int, err error) {
	var reply Dropped
	err = c.Call(ctx, http.MethodPost, "/v1/queue/dead/drop", nil, DropRequest{ids}, &reply)
	return reply.Dropped, reply.Unknown, err
}
