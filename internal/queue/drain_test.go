package queue

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stub is a queue of which a test needs two methods.
type stub struct {
	Queue
	drain func() (int, error)
	stats func() (Stats, error)
}

func (s stub) Drain(context.Context, func(*Request) error) (int, error) { return s.drain() }
func (s stub) Stats(context.Context) (Stats, error)                     { return s.stats() }

func TestDrainLoopLogsOneLineForEachChange(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	tries := 0
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		q := stub{drain: func() (int, error) {
			tries++
			switch d := time.Since(start); {
			case d > 11*time.Minute:
				cancel()
			case d < 10*time.Minute:
				return 0, errors.New("connection refused")
			}
			time.Sleep(time.Second)
			return 0, nil
		}}
		DrainLoop(ctx, q, nil, slog.New(slog.NewTextHandler(&log, nil)))
	})
	if n := strings.Count(log.String(), "\n"); n != 2 || tries > 150 {
		t.Errorf("%d tries, want some 90; log, want 2 lines:\n%s", tries, log.String())
	}
}

func TestCollectorRepeatsTheLastKnownStats(t *testing.T) {
	t.Parallel()
	down := true
	q := stub{stats: func() (Stats, error) {
		if down {
			return Stats{}, errors.New("connection refused")
		}
		return Stats{Depth: 3, Paths: 7, Dead: 2, Oldest: 1500 * time.Millisecond}, nil
	}}
	reg := prometheus.NewRegistry()
	reg.MustRegister(Collector(q))
	for _, tt := range []struct {
		down bool
		want map[string]float64
	}{
		{true, map[string]float64{"contextd_queue_depth": 0}},
		{false, map[string]float64{"contextd_queue_depth": 3, "contextd_queue_pending_paths": 7,
			"contextd_queue_dead": 2, "contextd_queue_oldest_age_seconds": 1.5}},
		{true, map[string]float64{"contextd_queue_depth": 3}},
	} {
		down = tt.down
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			got[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
		}
		for name, want := range tt.want {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("down %v: %s is %v, want %v", tt.down, name, v, want)
			}
		}
	}
}
