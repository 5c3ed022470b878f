package rdb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/syserr"
)

// HandshakeError is returned where a server was reached and TLS with it could not be agreed on.
type HandshakeError struct {
	Addr  string
	err   error
	after bool // the client's side of the handshake was done: the server refused what it was shown
}

func (e *HandshakeError) Error() string {
	return fmt.Sprintf("TLS handshake with %q: %v", e.Addr, e.err)
}
func (e *HandshakeError) Unwrap() error { return e.err }

// Hint tells what to do about it.
func (e *HandshakeError) Hint() string {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(e.err, &untrusted):
		return "the server's certificate must name the host of the URL, and be signed by an authority that this machine trusts or that ?ca_file=… of the URL names"
	case alerted(e.err), e.after:
		return "the server refuses this client's TLS: a server that wants a client certificate takes one of ?cert_file=…&key_file=… of the URL; see its log and its settings tls-auth-clients and tls-protocols"
	}
	return "the port seems to be one without TLS: name it with redis:// in place of rediss://"
}

// alerted reports whether err is a TLS alert that the other side sent. Its type is not exported: tls.AlertError is that
// of QUIC.
func alerted(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// NoAnswerError is returned where a server ended a connection without TLS before its first answer, or answered in TLS.
type NoAnswerError struct {
	Addr string
	err  error
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("%q ended the connection before its first answer: %v", e.Addr, e.err)
}
func (e *NoAnswerError) Unwrap() error { return e.err }

// Hint tells what to do about it.
func (e *NoAnswerError) Hint() string {
	return "is it Redis? if its port wants TLS, name it with rediss:// in place of redis://; --redis off uses the embedded store"
}

// dialer connects as go-redis would, with errors that tell a wrong scheme from a server that hangs.
func dialer(o *redis.Options) func(ctx context.Context, network, addr string) (net.Conn, error) {
	config, limit := o.TLSConfig, o.DialTimeout
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := net.Dialer{Timeout: limit, KeepAlive: 5 * time.Minute}
		conn, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if config == nil {
			return &newConn{Conn: conn, addr: addr}, nil
		}
		// A server without TLS waits for more. The handshake ends before ctx does, so that the caller hears of it.
		left := limit
		if end, ok := ctx.Deadline(); ok {
			left = min(limit, time.Until(end)*3/4)
		}
		ctx, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		secure := tls.Client(conn, named(config, addr))
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close() // it has failed already
			return nil, &HandshakeError{Addr: addr, err: err}
		}
		return &secureConn{Conn: secure, addr: addr}, nil
	}
}

// named is config for the server at addr. That of a set has no name of a server in it, as each of them has its own.
func named(config *tls.Config, addr string) *tls.Config {
	host, _, err := net.SplitHostPort(addr)
	if config.ServerName != "" || err != nil {
		return config
	}
	config = config.Clone()
	config.ServerName = host
	return config
}

// secureConn gives what a server says of the client's certificate, which in TLS 1.3 comes after the handshake, the type
// of an error of the handshake.
type secureConn struct {
	*tls.Conn
	addr     string
	answered atomic.Bool
}

func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.answered.Store(true)
	}
	return n, c.refusal(err)
}

func (c *secureConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.refusal(err)
}

// refusal is err, as a HandshakeError where the server ended the connection before its first answer: its alert may be
// lost when it closes while the client writes.
func (c *secureConn) refusal(err error) error {
	ended := alerted(err) || errors.Is(err, io.EOF) || syserr.Ended(err)
	if !ended || c.answered.Load() {
		return err
	}
	return fmt.Errorf("%w", &HandshakeError{Addr: c.addr, err: err, after: true}) // go-redis takes one wrapping away
}

// newConn notices what its first read says of the server.
type newConn struct {
	net.Conn
	addr     string
	answered atomic.Bool
}

// tlsAlert is the first byte of a record in which a TLS server refuses what it does not understand; no answer of Redis
// begins so.
const tlsAlert = 0x15

func (c *newConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.answered.Load() {
		return n, err
	}
	switch {
	case n > 0 && p[0] == tlsAlert:
		err = fmt.Errorf("a TLS alert: %w", io.ErrUnexpectedEOF)
	case n > 0:
		c.answered.Store(true)
		return n, err
	case errors.Is(err, io.EOF), syserr.Ended(err):
	default:
		return n, err
	}
	return 0, fmt.Errorf("%w", &NoAnswerError{Addr: c.addr, err: err}) // go-redis takes one wrapping away
}

// SyscallConn lets go-redis look whether an idle connection was closed.
func (c *newConn) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}
