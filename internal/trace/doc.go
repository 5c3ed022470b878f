// Package trace sends the stages of refreshes and contexts as OpenTelemetry spans to an OTLP/HTTP collector, where the
// standard variables OTEL_… ask for that. Only the daemon and the server start it. It writes the few messages of the
// protocol itself: the libraries for them bring gRPC into every command, 11 MB of it
// (docs/decisions/038-traces-without-a-library.md).
//
// What leaves the machine are names of stages, times, ids of projects, counts and fixed words. A collector that is slow
// or gone holds nothing up: spans wait in a bounded queue and are then dropped.
package trace

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

// stopTime is how long stop waits for a collector.
const stopTime = 2 * time.Second

// Start begins to trace if the environment asks for it; stop sends what is left. service and version name the process.
func Start(service, version string, log *slog.Logger) (stop func()) {
	o, on, err := FromEnv(os.Getenv)
	if err != nil {
		log.Warn("traces are off", obs.KeyError, err)
	}
	if !on || err != nil {
		return func() {}
	}
	o.Service, o.Version, o.Log = o.service(service), version, log
	t := New(o)
	obs.SetTracer(t)
	log.Info("tracing", "endpoint", o.Endpoint)
	return func() {
		obs.SetTracer(nil)
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		t.Close(ctx)
	}
}
