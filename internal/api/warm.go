package api

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/servers"
)

// warmTries is how often a store that answers is asked for what it does not give, before the server is ready all the
// same.
const warmTries = 5

// warmPause is the time between two tries.
const warmPause = time.Second

var errWarming = errors.New("warming up: what a first prompt needs is being loaded")

// ready says why the server is not to be asked yet; nil if it is.
func (s *Server) ready(ctx context.Context) error {
	err := s.opts.App.Backend.Ping(ctx)
	if err != nil && !servers.Partial(err) {
		return err
	}
	if s.cold.Load() {
		return errWarming
	}
	return s.opts.App.Backend.Ready(ctx, err)
}

// warm loads what a first prompt would wait for, as soon as the store answers. A store that answers and does not give
// it makes no server unready for ever.
func (s *Server) warm(ctx context.Context) {
	defer s.cold.Store(false)
	began := time.Now()
	for tries := 0; tries < warmTries; {
		if err := s.opts.App.Backend.Ping(ctx); err == nil || servers.Partial(err) {
			s.opts.App.Prompts() // opens the stores of what is remembered
			err := s.opts.App.Answers.Warm(ctx)
			if err == nil {
				s.log.Info("warmed up", obs.KeyTook, time.Since(began))
				return
			}
			tries++
			s.log.Debug("not warm yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(warmPause):
		}
	}
	s.log.Warn("the first prompts may be slow: what they need could not be loaded")
}
