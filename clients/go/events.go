package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"
)

// maxEvent is the greatest size of an event, in bytes.
const maxEvent = 4 << 20

// ErrSlow ends a subscription that was too far behind: events were missed.
var ErrSlow = errors.New("too slow: events were missed")

// Events listens: yield is called with each event of the types named, or of all, until it returns false, ctx ends or
// the server stops, which are no errors. The first event is of type ready: from then on nothing is missed.
func (c *Client) Events(ctx context.Context, yield func(Event) bool, types ...string) error {
	at := "ws" + strings.TrimPrefix(c.base, "http") + "/v1/events"
	if len(types) > 0 {
		at += "?" + url.Values{"types": {strings.Join(types, ",")}}.Encode()
	}
	h := http.Header{}
	c.authorize(h)
	client := *c.http
	client.Timeout = 0 // it lasts
	conn, resp, err := websocket.Dial(ctx, at,
		&websocket.DialOptions{HTTPClient: &client, HTTPHeader: h, Subprotocols: []string{"contextd.v1"}})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			data, _ := io.ReadAll(io.LimitReader(resp.Body, maxReply)) // what there is of it
			err = problemOf(resp, data)
		}
		return fmt.Errorf("listen to events: %w", err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxEvent)
	for {
		_, data, err := conn.Read(ctx)
		switch status := websocket.CloseStatus(err); {
		case err == nil:
		case ctx.Err() != nil, status == websocket.StatusNormalClosure, status == websocket.StatusGoingAway:
			return nil
		case status == websocket.StatusTryAgainLater:
			return ErrSlow
		default:
			return fmt.Errorf("listen to events: %w", err)
		}
		var e Event
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
		if !yield(e) {
			_ = conn.Close(websocket.StatusNormalClosure, "") // nobody listens any more
			return nil
		}
	}
}
