//go:build unix

package e2etest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Proxy passes commands on to a Redis server until one comes that it is to stop at. Then it calls cut, with that
// command not delivered and every other connection standing still, and closes all connections. With a cut that kills
// the client, the server is left as by a client that died between two commands.
type Proxy struct {
	URL    string
	target string
	l      net.Listener
	stop   func(n int, command []byte) bool
	cut    func() (goOn bool)

	mu    sync.Mutex // held while a command is delivered
	seen  []string   // names of the commands passed
	cuts  int
	over  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// NewProxy starts a proxy that stops at the first command for which stop says so; n counts them from 0. If cut returns
// true, that command and all others are delivered after all.
func NewProxy(target string, stop func(n int, command []byte) bool, cut func() (goOn bool)) (*Proxy, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("read URL %q: %w", target, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{URL: "redis://" + l.Addr().String(), target: u.Host, l: l, stop: stop, cut: cut,
		conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	return p, nil
}

// Seen is the names of the commands that were passed.
func (p *Proxy) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// Cut reports whether it has stopped.
func (p *Proxy) Cut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts > 0
}

// Close ends the proxy.
func (p *Proxy) Close() {
	_ = p.l.Close()
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.wg.Wait()
}

// end closes all connections; p.mu is held.
func (p *Proxy) end() {
	p.over = true
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		p.mu.Lock()
		if err != nil || p.over {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
			p.mu.Unlock()
			continue
		}
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		done := func() { _, _ = client.Close(), server.Close() }
		p.wg.Go(func() {
			defer done()
			_, _ = io.Copy(client, server)
		})
		p.wg.Go(func() {
			defer done()
			p.carry(bufio.NewReader(client), server)
		})
	}
}

// carry delivers the commands of one client.
func (p *Proxy) carry(from *bufio.Reader, server io.Writer) {
	for {
		name, raw, err := readCommand(from)
		if err != nil {
			return
		}
		if !p.deliver(name, raw, server) {
			return
		}
	}
}

func (p *Proxy) deliver(name string, raw []byte, server io.Writer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	if p.cuts == 0 && p.stop(len(p.seen), raw) {
		p.cuts++
		if !p.cut() {
			p.end()
			return false
		}
	}
	p.seen = append(p.seen, name)
	_, err := server.Write(raw)
	return err == nil
}

// readCommand reads one command in the form of an array of bulk strings, as clients send it.
func readCommand(r *bufio.Reader) (name string, raw []byte, err error) {
	n, raw, err := readHeader(r, '*', nil)
	for i := 0; i < n && err == nil; i++ {
		var size int
		size, raw, err = readHeader(r, '$', raw)
		if err != nil {
			break
		}
		arg := make([]byte, size+2)
		_, err = io.ReadFull(r, arg)
		if i == 0 {
			name = strings.ToUpper(string(arg[:size]))
		}
		raw = append(raw, arg...)
	}
	return name, raw, err
}

func readHeader(r *bufio.Reader, kind byte, raw []byte) (int, []byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, raw, err
	}
	if len(line) < 4 || line[0] != kind {
		return 0, raw, fmt.Errorf("a command that starts with %q", line)
	}
	n, err := strconv.Atoi(string(line[1 : len(line)-2]))
	return n, append(raw, line...), err
}
