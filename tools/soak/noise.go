//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// idler, in the environment of this program, makes it the child that only sleeps.
const idler = "SOAK_IDLE"

// naps and nap are what it does: to be woken up costs a busy machine more than to work.
const (
	naps = 8
	nap  = 5 * time.Millisecond
)

func init() {
	if os.Getenv(idler) == "" {
		return
	}
	for range naps {
		time.Sleep(nap)
	}
	os.Exit(0)
}

// measure measures the noise until it is told to end: how long children take that only say their version or sleep a few
// times, and how much too late a short sleep ends.
func (b *bench) measure(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			b.child(0, filepath.Join(b.bin, "retriever"), "--version")
			b.child(naps*nap, os.Args[0])
			sleep(ctx, 60*time.Millisecond)
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
			b.noise.Add(began, time.Now(), worst, 0)
		}
	})
	return func() { cancel(); all.Wait() }
}

// child notes how much longer than asked a child that does nothing takes.
func (b *bench) child(asked time.Duration, argv ...string) {
	began := time.Now()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), idler+"=1")
	if e2etest.Start(cmd) != nil || cmd.Wait() != nil {
		return
	}
	took, cpu := time.Since(began)-asked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	b.noise.Add(began, time.Now(), took, float64(took)/float64(max(cpu, time.Millisecond)))
}
