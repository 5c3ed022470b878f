package client

import (
	"context"
	"net/http"
	"time"
)

// Queue is what waits to be indexed, and whether a daemon works on it.
type Queue struct {
	Backend string      `json:"backend"` // embedded or redis
	Daemon  bool        `json:"daemon"`
	Daemons []Daemon    `json:"daemons"` // that serve this store
	Counts  QueueCounts `json:"queue"`
}

// Daemon is an "indexer run".
type Daemon struct {
	Host    string   `json:"host"`    // the machine that it runs on
	Roots   []string `json:"roots"`   // the folders that it may serve
	Watched []string `json:"watched"` // the roots that it keeps fresh by itself
}

// QueueCounts are the counts of the queue.
type QueueCounts struct {
	Depth       int   `json:"depth"`    // projects that wait
	Delayed     int   `json:"delayed"`  // of these, those whose time has not come
	Inflight    int   `json:"inflight"` // projects in work
	Dead        int   `json:"dead"`
	OldestAgeMS int64 `json:"oldest_age_ms"`
}

// Oldest is the age of the oldest waiting change.
func (q QueueCounts) Oldest() time.Duration { return time.Duration(q.OldestAgeMS) * time.Millisecond }

// Queue shows the counts of the queue.
func (c *Client) Queue(ctx context.Context) (*Queue, error) {
	var q Queue
	return &q, c.Call(ctx, http.MethodGet, "/v1/queue", nil, nil, &q)
}

// QueueHistory is what the queue was over the last hour.
type QueueHistory struct {
	EveryMS int64         `json:"every_ms"` // the time between two samples
	Samples []QueueSample `json:"samples"`  // the oldest first
}

// QueueSample is the counts of the queue at a time.
type QueueSample struct {
	At       string `json:"at"` // RFC 3339
	Depth    int    `json:"depth"`
	Inflight int    `json:"inflight"`
	Dead     int    `json:"dead"`
}

// QueueHistory lists the counts of the queue over the last hour, as far as the server runs since then.
func (c *Client) QueueHistory(ctx context.Context) (*QueueHistory, error) {
	var h QueueHistory
	return &h, c.Call(ctx, http.MethodGet, "/v1/queue/history", nil, nil, &h)
}

// DeadLetter is a request that failed for good.
type DeadLetter struct {
	ID       string   `json:"id"` // for RetryDead and DropDead
	Project  string   `json:"project"`
	Root     string   `json:"root"` // as it was sent
	Reason   string   `json:"reason"`
	Attempts int      `json:"attempts"`
	At       string   `json:"at"`    // RFC 3339
	Paths    []string `json:"paths"` // at most 50
}

// DeadLetters lists the requests that failed for good, the oldest first.
func (c *Client) DeadLetters(ctx context.Context) ([]DeadLetter, error) {
	var reply struct {
		Dead []DeadLetter `json:"dead"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/queue/dead", nil, nil, &reply)
	return reply.Dead, err
}

// RetryDead sends dead letters to the queue again, and tells how many of the ids were there and how many were not. No id is a problem
// "invalid-request": RetryAllDead means all.
func (c *Client) RetryDead(ctx context.Context, ids ...string) (retried, unknown int, err error) {
	return c.retry(ctx, map[string]any{"ids": ids})
}

// RetryAllDead sends all dead letters to the queue again.
func (c *Client) RetryAllDead(ctx context.Context) (retried int, err error) {
	retried, _, err = c.retry(ctx, map[string]any{"all": true})
	return retried, err
}

func (c *Client) retry(ctx context.Context, body map[string]any) (retried, unknown int, err error) {
	var reply struct {
		Retried int `json:"retried"`
		Unknown int `json:"unknown"`
	}
	err = c.Call(ctx, http.MethodPost, "/v1/queue/dead/retry", nil, body, &reply)
	return reply.Retried, reply.Unknown, err
}

// DropDead removes dead letters, and tells how many of the ids were there and how many were not.
func (c *Client) DropDead(ctx context.Context, ids ...string) (dropped, unknown int, err error) {
	var reply struct {
		Dropped int `json:"dropped"`
		Unknown int `json:"unknown"`
	}
	err = c.Call(ctx, http.MethodPost, "/v1/queue/dead/drop", nil, map[string]any{"ids": ids}, &reply)
	return reply.Dropped, reply.Unknown, err
}
