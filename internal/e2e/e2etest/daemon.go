//go:build unix

package e2etest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Daemon is a process that runs until it is stopped and answers over HTTP: "indexer run", or "retriever serve".
type Daemon struct {
	URL  string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	err  error // how it ended; valid when done is closed
}

// Daemon starts "indexer run" with flags such as --watch. It is not yet ready.
func (w *World) Daemon(flags ...string) (*Daemon, error) {
	return w.daemon("daemon", "indexer", append([]string{"run"}, flags...))
}

// Serve starts "retriever serve" with flags such as --allow-root. It is not yet ready.
func (w *World) Serve(flags ...string) (*Daemon, error) {
	return w.daemon("server", "retriever", append([]string{"serve"}, flags...))
}

// ServeAt is Serve on an address, such as that of a server that has ended.
func (w *World) ServeAt(addr string, flags ...string) (*Daemon, error) {
	return w.daemonAt(addr, "server", "retriever", append([]string{"serve"}, flags...))
}

// daemon starts a command that listens on a free port; kind begins the name of its log.
func (w *World) daemon(kind, name string, args []string) (*Daemon, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	return w.daemonAt(addr, kind, name, args)
}

func (w *World) daemonAt(addr, kind, name string, args []string) (*Daemon, error) {
	_, port, _ := net.SplitHostPort(addr)
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a world: %w", err)
	}
	d := &Daemon{URL: "http://" + addr, log: filepath.Join(w.Dir, kind+"-"+port+".log"), done: make(chan struct{})}
	log, err := os.Create(d.log)
	if err != nil {
		return nil, fmt.Errorf("make a log: %w", err)
	}
	defer log.Close()
	d.cmd = exec.Command(filepath.Join(w.Bin, name), append(args, "--listen", addr, "--log-level", "debug")...)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	if err := w.start(d.cmd); err != nil {
		return nil, err
	}
	go func() {
		d.err = d.cmd.Wait()
		close(d.done)
	}()
	return d, nil
}

// Ready waits until /readyz says so.
func (d *Daemon) Ready(within time.Duration) error {
	return Eventually(within, func() error {
		if !d.Alive() {
			return fmt.Errorf("the process ended: %v; its log: %s", d.err, d.Log())
		}
		code, body := d.Get("/readyz")
		if code != http.StatusOK {
			return fmt.Errorf("/readyz says %d, %s; its log: %s", code, body, d.Log())
		}
		return nil
	})
}

// Get is status and body of a page; 0 when nothing answers.
func (d *Daemon) Get(path string) (int, string) {
	c := http.Client{Timeout: 10 * time.Second}
	r, err := c.Get(d.URL + path)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	c.CloseIdleConnections()
	return r.StatusCode, string(body)
}

// Metric is the sum of the samples of a metric whose line holds part.
func (d *Daemon) Metric(name, part string) (float64, error) {
	code, body := d.Get("/metrics")
	if code != http.StatusOK {
		return 0, fmt.Errorf("/metrics says %d: %s", code, body)
	}
	sum, lines := 0.0, bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, name); ok && (rest[0] == ' ' || rest[0] == '{') &&
			strings.Contains(line, part) {
			v, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			if err != nil {
				return 0, fmt.Errorf("read metric %q: %w", line, err)
			}
			sum += v
		}
	}
	return sum, nil
}

// Alive reports whether it has not ended.
func (d *Daemon) Alive() bool {
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// Log is what it wrote, the last of it.
func (d *Daemon) Log() string {
	b, _ := os.ReadFile(d.log)
	return string(b[max(0, len(b)-4000):])
}

// Logged reports whether text stands anywhere in its log.
func (d *Daemon) Logged(text string) bool {
	b, _ := os.ReadFile(d.log)
	return strings.Contains(string(b), text)
}

// Kill ends it at once, as a crash does, and returns when it is gone.
func (d *Daemon) Kill() {
	_ = d.cmd.Process.Kill()
	<-d.done
}

// Pause stops it in its tracks until Resume.
func (d *Daemon) Pause() error { return d.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (d *Daemon) Resume() error { return d.cmd.Process.Signal(syscall.SIGCONT) }

// Stop sends SIGTERM and wants exit 0 within the time promised, and a log without a crash.
func (d *Daemon) Stop(within time.Duration) error {
	if !d.Alive() {
		return fmt.Errorf("the process ended by itself: %v; its log: %s", d.err, d.Log())
	}
	if err := d.Term(); err != nil {
		return err
	}
	return d.Ended(within)
}

// Term sends SIGTERM.
func (d *Daemon) Term() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send SIGTERM: %w", err)
	}
	return nil
}

// Ended waits for its end after SIGTERM, which must be a good one.
func (d *Daemon) Ended(within time.Duration) error {
	select {
	case <-d.done:
	case <-time.After(within):
		_ = d.cmd.Process.Signal(syscall.SIGQUIT) // for the stacks in its log
		<-d.done
		return fmt.Errorf("no end within %v of SIGTERM; its log: %s", within, d.Log())
	}
	if d.err != nil {
		return fmt.Errorf("want exit 0 after SIGTERM: %w; its log: %s", d.err, d.Log())
	}
	return d.Crashed()
}

// Crashed is an error if its log tells of a panic or a race.
func (d *Daemon) Crashed() error {
	b, _ := os.ReadFile(d.log)
	if at := crash.FindIndex(b); at != nil {
		return errors.New("the process crashed: " + string(b[at[0]:min(len(b), at[0]+4000)]))
	}
	return nil
}
