//go:build unix

package main

import (
	"context"
	"time"
)

// acts are the steps by kind.
func (s *spell) acts() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"edit":           s.change(s.edit),
		"add":            s.change(s.add),
		"delete":         s.change(s.remove),
		"rename":         s.change(s.rename),
		"many":           s.change(s.many),
		"ignore":         s.change(s.ignore),
		"checkout":       s.change(s.checkout),
		"checkout-storm": s.checkoutStorm,
		"rename-storm":   s.renameStorm,
		"swap":           s.swap,

		"index":       s.index,
		"enqueue":     s.enqueue,
		"index-kill":  s.indexKill,
		"index-pidns": s.indexApart,
		"file-limit":  s.indexLimited,
		"disk-full":   s.diskFull,
		"clock-jump":  s.clockJump,

		"daemon-kill":       s.daemonKill,
		"daemon-term":       s.daemonTerm,
		"daemon-stop":       s.daemonStop,
		"daemon-stop-lease": s.daemonStopLease,
		"daemon-pidns":      s.daemonApart,
		"server-kill":       s.serverKill,
		"server-stop":       s.serverStop,

		"redis-kill":     s.redisKill,
		"redis-hang":     s.redisHang,
		"redis-flush":    s.redisFlush,
		"redis-drop":     s.redisDrop,
		"redis-full":     s.redisFull,
		"redis-readonly": s.redisReadOnly,
		"redis-slow":     s.line(slowLine),
		"redis-cut":      s.line(cutLine),
		"redis-torn":     s.line(tornLine),
		"redis-refuse":   s.line(refusingLine),

		"embed-slow": s.embedder("slow"),
		"embed-hang": s.embedder("hang"),
		"embed-size": s.embedder("size"),
		"embed-few":  s.embedder("few"),
		"embed-torn": s.embedder("torn"),
		"embed-busy": s.embedder("busy"),
	}
}

// aWhile is how long a fault lasts.
func (s *spell) aWhile() time.Duration { return time.Duration(200+s.rnd.IntN(1800)) * time.Millisecond }

// doze waits for up to n milliseconds.
func (s *spell) doze(ctx context.Context, n int) {
	sleep(ctx, time.Duration(s.rnd.IntN(n))*time.Millisecond)
}
