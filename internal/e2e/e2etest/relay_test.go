//go:build unix

package e2etest

import (
	"io"
	"net"
	"net/url"
	"testing"
	"time"
)

func TestRelayDoesToALineWhatItIsToldAndThenPassesAgain(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	heard := make(chan string, 100)
	go func() { // answers each piece by the same long line
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b := make([]byte, 100)
				for {
					n, err := c.Read(b)
					if err != nil {
						return
					}
					heard <- string(b[:n])
					_, _ = io.WriteString(c, "+0123456789\r\n")
				}
			}()
		}
	}()
	r, err := NewRelay("redis://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	u, _ := url.Parse(r.URL)
	for _, x := range []struct {
		name  string
		fault Fault
		want  string
		heard bool
	}{
		{"pass", Pass, "+0123456789\r\n", true},
		{"cut", Cut, "+01234", true},
		{"torn", Torn, "+012\x00?torn\r\n", true},
		{"refuse", Refuse, "-ERR refused by a line that lies\r\n", false},
		{"slow", Slow, "+0123456789\r\n", true},
	} {
		r.Set(x.fault, 1, time.Millisecond)
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "x")
		got := make([]byte, 100)
		n := 0
		for n < len(x.want) {
			k, err := c.Read(got[n:])
			if n += k; err != nil {
				break
			}
		}
		_ = c.Close()
		if string(got[:n]) != x.want {
			t.Errorf("%s: got %q, want %q", x.name, got[:n], x.want)
		}
		if len(heard) > 0 != x.heard {
			t.Errorf("%s: the server heard %d commands", x.name, len(heard))
		}
		for len(heard) > 0 {
			<-heard
		}
		if hits := r.Set(Pass, 1, 0); (hits > 0) != (x.fault != Pass) {
			t.Errorf("%s: struck %d times", x.name, hits)
		}
	}
}
