//go:build unix

package e2etest

import (
	"net"
	"time"
)

// Fault is what a Relay does to what passes.
type Fault int

// The faults. After each but Slow the connection ends, so that nothing that is passed later can be taken for something
// else.
const (
	Pass   Fault = iota
	Slow         // each piece of an answer waits
	Cut          // an answer ends in its middle
	Torn         // an answer ends in bytes that are no frame
	Refuse       // a command is not delivered; its answer is an error
)

// Relay stands between processes and a server like a bad line. Unlike a Proxy it goes on, knows nothing of commands,
// and its fault can be switched while it runs.
type Relay struct {
	line // mu guards what follows

	fault Fault
	delay time.Duration
	every int
	seen  int // pieces that could have been struck
	hits  int
}

// NewRelay starts a relay to a Redis URL.
func NewRelay(target string) (*Relay, error) {
	r := &Relay{}
	r.carry = r.pass
	if err := r.open(target); err != nil {
		return nil, err
	}
	return r, nil
}

// Set switches the fault, which strikes one piece of so many; delay is that of Slow. It returns how often the fault
// before struck.
func (r *Relay) Set(f Fault, every int, delay time.Duration) (hits int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hits, r.hits, r.seen = r.hits, 0, 0
	r.fault, r.every, r.delay = f, every, delay
	return hits
}

// strike is what to do with a piece that passes; toServer tells in which direction.
func (r *Relay) strike(toServer bool) (Fault, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == Pass || (r.fault == Refuse) != toServer {
		return Pass, 0
	}
	if r.seen++; r.seen%r.every != 0 {
		return Pass, 0
	}
	r.hits++
	return r.fault, r.delay
}

// pass passes pieces on until an end of the line closes or a fault ends it.
func (r *Relay) pass(from, to, client net.Conn) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		switch fault, delay := r.strike(from == client); fault {
		case Slow:
			time.Sleep(delay)
		case Cut:
			_, _ = to.Write(piece[:n/2])
			return
		case Torn:
			_, _ = to.Write(append(piece[:n/3:n/3], "\x00?torn\r\n"...))
			return
		case Refuse:
			_, _ = client.Write([]byte("-ERR refused by a line that lies\r\n"))
			return
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}
