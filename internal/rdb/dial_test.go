package rdb_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func ping(t *testing.T, url string) error {
	t.Helper()
	c, err := rdb.Interactive(url, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return c.Ping(ctx).Err()
}

func wantHint(t *testing.T, err error, hint string) {
	t.Helper()
	var h interface{ Hint() string }
	if !errors.As(err, &h) || !strings.Contains(h.Hint(), hint) || rdb.Classify(err) != rdb.Unreachable {
		t.Errorf("%v (%s), want the hint %q", err, rdb.Classify(err), hint)
	}
}

func TestTLSToAPlainPortIsSaid(t *testing.T) {
	t.Parallel()
	s := rdbtest.Start(t, rdbtest.Plain)
	wantHint(t, ping(t, strings.Replace(s.URL, "redis://", "rediss://", 1)), "redis:// in place of rediss://")
}

func TestAPlainConnectionToATLSPortIsSaid(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]uint16{"alert": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := listenTLS(t, &tls.Config{MinVersion: version})
			wantHint(t, ping(t, "redis://"+addr), "rediss:// in place of redis://")
			wantHint(t, ping(t, "rediss://"+addr), "certificate")
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	wantHint(t, ping(t, "redis://"+l.Addr().String()), "rediss:// in place of redis://")
}

// listenTLS is the address of a server that speaks nothing but TLS.
func listenTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS() // for its certificate
	t.Cleanup(s.Close)
	config.Certificates = s.TLS.Certificates
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = c.(*tls.Conn).Handshake() // fails, with an alert
				c.Close()
			}()
		}
	}()
	return l.Addr().String()
}
