// Package sandboxtest makes trees and attacks them, for the tests of packages that read trees.
package sandboxtest

import (
	"os"
	"testing"
)

// SwapInALoop swaps what stands at path for a link to target, and back, until the test ends. beside is a free name for
// each of both; pause, which may be nil, is called after each swap.
func SwapInALoop(t testing.TB, path, target, beside string, pause func()) {
	t.Helper()
	link, aside := beside+".link", beside+".aside"
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, _ = os.Rename(path, aside), os.Rename(link, path)
			if pause != nil {
				pause()
			}
			_, _ = os.Rename(path, link), os.Rename(aside, path)
			if pause != nil {
				pause()
			}
		}
	}()
}
