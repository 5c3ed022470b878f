//go:build !linux

package costtest

import "time"

var start = time.Now()

// elapsed is the clock's time: other systems do not tell a thread's in one way.
func elapsed() time.Duration { return time.Since(start) }
