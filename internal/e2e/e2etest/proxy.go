//go:build unix

package e2etest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// Proxy passes commands on to a Redis server until one comes that it is to stop at. Then it calls cut, with that
// command not delivered and every other connection standing still, and closes all connections. With a cut that kills
// the client, the server is left as by a client that died between two commands.
type Proxy struct {
	line // mu is held while a command is delivered
	stop func(n int, command []byte) bool
	cut  func() (goOn bool)

	seen []string // names of the commands passed
	cuts int
}

// NewProxy starts a proxy that stops at the first command for which stop says so; n counts them from 0. If cut returns
// true, that command and all others are delivered after all.
func NewProxy(target string, stop func(n int, command []byte) bool, cut func() (goOn bool)) (*Proxy, error) {
	p := &Proxy{stop: stop, cut: cut}
	p.carry = p.pass
	if err := p.open(target); err != nil {
		return nil, err
	}
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

// pass delivers the commands of one client, and the server's answers as they come.
func (p *Proxy) pass(from, to, client net.Conn) {
	if from != client {
		_, _ = io.Copy(to, from)
		return
	}
	commands := bufio.NewReader(from)
	for {
		name, raw, err := readCommand(commands)
		if err != nil || !p.deliver(name, raw, to) {
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
