package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// A real full disk takes the right to mount one; where there is none, the limits on files of
// TestAnIndexThatCannotGrowItsFilesIsOneErrorAndLosesNothing stand for it.
func TestAFullDiskIsOneErrorAndLosesNothing(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.tree(0, 60, 0, 40)
	b.ok(os.MkdirAll(b.State(), 0o700))
	err := syscall.Mount("tmpfs", b.State(), "tmpfs", 0, "size=4m,mode=700")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.EACCES) {
		t.Log("this user may not mount: only files are limited, by the other test")
		return
	}
	b.ok(err)
	t.Cleanup(func() { b.ok(syscall.Unmount(b.State(), syscall.MNT_DETACH)) })
	ballast := filepath.Join(b.State(), "ballast")
	full := 0
	for _, free := range []int64{0, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20} {
		b.fill(ballast, free)
		b.fullDisk(&full, b.Exec)
		b.ok(os.Remove(ballast))
		b.index()
		if r := b.ask(e2etest.Question(3), "--no-index", "--deadline", patient); !r.Has(e2etest.SourceName(3)) {
			b.Errorf("after %d bytes were free: %+v", free, r)
		}
		if free < 1<<20 {
			b.Forget()
		}
	}
	if full == 0 {
		b.Error("no write failed")
	}
	b.fresh(questions(0, 6)...)

	// A daemon that meets a full disk goes on once there is room.
	d := b.daemon("--watch", b.root, "--reconcile-interval", "1s")
	b.settled()
	b.fill(ballast, 0)
	b.tree(60, 90, 0, 40)
	b.write(e2etest.SourceName(1), e2etest.Source(1, 1, 40))
	for range 5 {
		r := b.ask(e2etest.Question(2), "--deadline", patient)
		if r.Status != "degraded" && !r.Has(e2etest.SourceName(2)) {
			b.Errorf("on a full disk: %+v", r)
		}
	}
	if r, err := b.Exec("indexer", "doctor"); err != nil || r.Code != 1 || !strings.Contains(r.Out, "0 MB free") ||
		strings.Contains(r.Out, "move them away") {
		b.Errorf("doctor on a full disk: %v, %v", r, err)
	}
	if code, _ := d.Get("/healthz"); code != 200 {
		b.Errorf("/healthz says %d", code)
	}
	b.ok(os.Remove(ballast))
	b.finds(e2etest.Question(89), e2etest.SourceName(89))
	b.fresh(questions(0, 6)...)
}

// fill leaves so many bytes of the file system free.
func (b *bundle) fill(ballast string, free int64) {
	b.Helper()
	var s syscall.Statfs_t
	b.ok(syscall.Statfs(filepath.Dir(ballast), &s))
	size := int64(s.Bavail)*s.Bsize - free
	b.ok(os.WriteFile(ballast, make([]byte, max(size, 0)), 0o600))
	b.ok(syscall.Statfs(filepath.Dir(ballast), &s))
	if left := int64(s.Bavail) * s.Bsize; left > free {
		b.ok(fmt.Errorf("%d bytes are free, not %d", left, free))
	}
}
