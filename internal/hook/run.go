package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// isUnknownContext reports whether err means that the store no longer knows a context: then no feedback is sent for it.
func isUnknownContext(err error) bool { return errors.Is(err, store.ErrNotFound) }

// Run answers the event on in within the limit, which counts from began. It writes the whole answer to out or nothing
// of it, and returns; what is still at work then ends with the process. A failure, and a panic too, is a line in the
// log.
func (h *Hook) Run(in io.Reader, out io.Writer, began time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), began.Add(h.Limit))
	defer cancel()
	said, done := make(chan []byte, 1), make(chan error, 1)
	name := make(chan string, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("panic: %v", r)
			}
		}()
		e, err := Read(in)
		if err == nil {
			name <- e.Name
			e.Dir = cmp.Or(e.Dir, h.WorkDir)
			err = h.Handle(ctx, e, func(text []byte) { said <- text })
		}
		done <- err
	}()
	write := func(text []byte) error {
		if _, err := out.Write(text); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
		return nil
	}
	var err error
	for open := true; open; {
		select {
		case text := <-said:
			err = errors.Join(err, write(text))
		case failed := <-done:
			err, open = errors.Join(err, failed), false
		case <-ctx.Done():
			err, open = errors.Join(err, fmt.Errorf("not done within %s: %w", h.Limit, ctx.Err())), false
		}
	}
	select {
	case text := <-said: // it came with the end
		err = errors.Join(err, write(text))
	default:
	}
	if err == nil {
		return
	}
	event := ""
	select {
	case event = <-name:
	default:
	}
	level := slog.LevelWarn
	if errors.Is(err, errNoProject) {
		level = slog.LevelInfo
	}
	h.Log.Log(context.Background(), level, "hook did not answer", "agent", string(h.Agent), "event", event, "error",
		err, "took_ms", time.Since(began).Milliseconds())
}
