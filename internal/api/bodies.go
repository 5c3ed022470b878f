package api

import (
	"errors"
	"io"
	"sync/atomic"
)

// Bounds of the bodies of all requests together, in bytes.
const (
	maxBodies = 64 << 20 // that are held at once, from their first byte to the answer
	freeBody  = 16 << 10 // of each body, which count for nothing: small requests go on where large ones hold all of it
)

// errBodies is what a body reads as that there is no room for.
var errBodies = errors.New("the bodies of other requests take all memory that is meant for them")

// bodies is what is left of maxBodies.
type bodies struct{ left atomic.Int64 }

// body counts what is read of one request's body.
type body struct {
	io.ReadCloser
	of         *bodies
	read, held int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if more := b.read - freeBody - b.held; more > 0 {
		if b.of.left.Add(-more) < 0 {
			b.of.left.Add(more)
			return 0, errBodies
		}
		b.held += more
	}
	return n, err
}

// release gives back what the body held: its request is answered.
func (b *body) release() {
	b.of.left.Add(b.held)
	b.held = 0
}
