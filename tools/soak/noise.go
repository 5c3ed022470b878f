//go:build unix

package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// measure measures the noise until it is told to end: how long a child takes that only says its version, and how much too late
// a short sleep ends.
func (b *bench) measure(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			cmd := exec.Command(filepath.Join(b.bin, "retriever"), "--version")
			if e2etest.Start(cmd) == nil && cmd.Wait() == nil {
				b.noise.Add(began, time.Now(), time.Since(began))
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	all.Go(func() {
		for ctx.Err() == nil {
			began, worst := time.Now(), time.Duration(0)
			for range 20 {
				slept := time.Now()
				time.Sleep(5 * time.Millisecond)
				worst = max(worst, time.Since(slept)-5*time.Millisecond)
			}
			b.noise.Add(began, time.Now(), worst)
		}
	})
	return func() { cancel(); all.Wait() }
}
