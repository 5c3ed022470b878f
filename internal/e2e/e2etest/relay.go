//go:build unix

package e2etest

import (
	"fmt"
	"net"
	"net/url"
	"sync"
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
	URL    string
	target string
	l      net.Listener

	mu    sync.Mutex // guards what follows
	fault Fault
	delay time.Duration
	every int
	seen  int // pieces that could have been struck
	hits  int
	over  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// NewRelay starts a relay to a Redis URL.
func NewRelay(target string) (*Relay, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("read URL %q: %w", target, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	r := &Relay{URL: "redis://" + l.Addr().String(), target: u.Host, l: l, conns: map[net.Conn]bool{}}
	r.wg.Go(r.accept)
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

// Close ends the relay.
func (r *Relay) Close() {
	_ = r.l.Close()
	r.mu.Lock()
	r.over = true
	for c := range r.conns {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
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

func (r *Relay) accept() {
	for {
		client, err := r.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		r.mu.Lock()
		if r.over {
			_, _ = client.Close(), server.Close()
			r.mu.Unlock()
			return
		}
		r.conns[client], r.conns[server] = true, true
		r.mu.Unlock()
		end := sync.OnceFunc(func() {
			_, _ = client.Close(), server.Close()
			r.mu.Lock()
			delete(r.conns, client)
			delete(r.conns, server)
			r.mu.Unlock()
		})
		r.wg.Go(func() { defer end(); r.carry(client, server, client, true) })
		r.wg.Go(func() { defer end(); r.carry(server, client, client, false) })
	}
}

// carry passes pieces on until an end of the line closes or a fault ends it.
func (r *Relay) carry(from, to, client net.Conn, toServer bool) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		switch fault, delay := r.strike(toServer); fault {
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
