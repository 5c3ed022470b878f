package queue

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/contextd/contextd/internal/owner"
)

var claims atomic.Int64 // of this process

// NewToken returns a unique Claim.Token for a new claim of holder.
func NewToken(holder string) string { return holder + "#" + strconv.FormatInt(claims.Add(1), 10) }

// Holder returns the process that made a token, as package owner names processes.
func Holder(token string) string {
	name, _, _ := strings.Cut(token, "#")
	return name
}

// HolderDead reports whether the process that made a token is known to be dead; self is this one.
func HolderDead(self, token string) bool {
	name := Holder(token)
	return name != self && owner.Dead(name)
}

// SameRoot reports whether a, a root as it was sent, is the real path root.
func SameRoot(a, root string) bool {
	if a == root {
		return true
	}
	target, err := filepath.EvalSymlinks(a)
	return err == nil && target == root
}
