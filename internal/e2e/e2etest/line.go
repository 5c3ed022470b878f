//go:build unix

package e2etest

import (
	"fmt"
	"net"
	"net/url"
	"sync"
)

// line stands between processes and a Redis server, and passes on what either says.
type line struct {
	URL    string
	target string
	l      net.Listener
	// carry passes on what from says to to, until one of them closes or carry ends it. client is one of both.
	carry func(from, to, client net.Conn)

	mu    sync.Mutex // guards what follows, and more of a Proxy and a Relay
	over  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// open begins to listen in front of a Redis URL.
func (n *line) open(target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return fmt.Errorf("read URL %q: %w", target, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	n.URL, n.target, n.l, n.conns = "redis://"+l.Addr().String(), u.Host, l, map[net.Conn]bool{}
	n.wg.Go(n.accept)
	return nil
}

// Close ends the line.
func (n *line) Close() {
	_ = n.l.Close()
	n.mu.Lock()
	n.end()
	n.mu.Unlock()
	n.wg.Wait()
}

// end closes all connections; n.mu is held.
func (n *line) end() {
	n.over = true
	for c := range n.conns {
		_ = c.Close()
	}
}

func (n *line) accept() {
	for {
		client, err := n.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", n.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		n.mu.Lock()
		if n.over {
			_, _ = client.Close(), server.Close()
			n.mu.Unlock()
			return
		}
		n.conns[client], n.conns[server] = true, true
		n.mu.Unlock()
		end := sync.OnceFunc(func() {
			_, _ = client.Close(), server.Close()
			n.mu.Lock()
			delete(n.conns, client)
			delete(n.conns, server)
			n.mu.Unlock()
		})
		n.wg.Go(func() { defer end(); n.carry(client, server, client) })
		n.wg.Go(func() { defer end(); n.carry(server, client, client) })
	}
}
