package rdbtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

// Process is a running server.
type Process struct {
	URL  string
	port int
	dir  string
	prog Program
	args []string
	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
}

// Launch starts a server on a free loopback port with its data in dir and waits until it answers. It keeps port and
// data over Restart. args are settings such as "--requirepass", "secret".
func Launch(prog Program, dir string, args ...string) (*Process, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &Process{URL: fmt.Sprintf("redis://127.0.0.1:%d", port), port: port, dir: dir, prog: prog, args: args}
	return p, p.run()
}

func (p *Process) run() error {
	conf := append([]string{"--port", strconv.Itoa(p.port), "--save", "", "--appendonly", "yes"}, p.args...)
	argv := p.prog.Argv
	if p.prog.Docker {
		image := argv[len(argv)-1]
		argv = []string{"docker", "run", "--rm", "-i", "--name", p.container(), "-p",
			fmt.Sprintf("127.0.0.1:%d:%d", p.port, p.port),
			"-v", p.dir + ":/data", image, "redis-server"}
	} else {
		argv = append(append([]string{}, argv...), "--bind", "127.0.0.1", "--dir", p.dir, "--daemonize", "no")
	}
	return p.start(append(argv, conf...))
}

// start runs a command and waits until the server answers.
func (p *Process) start(argv []string) error {
	log, err := os.OpenFile(filepath.Join(p.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of redis-server: %w", err)
	}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.done = make(chan struct{})
	started := make(chan error)
	go supervise(p.cmd, started, p.done, log)
	if err := <-started; err != nil {
		return fmt.Errorf("start %q: %w", argv[0], err)
	}
	return p.wait()
}

// wait returns when the server answers (or asks for a password, or is in a cluster), an error when it ended or does not
// within 30 s.
func (p *Process) wait() error {
	end := time.After(30 * time.Second)
	for {
		c, err := rdb.Interactive(p.URL, time.Second)
		if err != nil {
			return err
		}
		err = c.Ping(context.Background()).Err()
		_ = c.Close()
		if k := rdb.Classify(err); k == rdb.OK || k == rdb.Auth || k == rdb.Cluster {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("redis-server ended at once: %s", p.tail())
		case <-end:
			p.Kill()
			return fmt.Errorf("redis-server does not answer on port %d: %w; its log: %s", p.port, err, p.tail())
		case <-time.After(15 * time.Millisecond):
		}
	}
}

// Kill ends the server as a crash would and returns when it is gone.
func (p *Process) Kill() {
	if p.prog.Docker {
		_ = exec.Command("docker", "kill", p.container()).Run()
	}
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Restart starts a killed server again on the same port with the same data.
func (p *Process) Restart() error { return p.run() }

// Done is closed when the server has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

func (p *Process) container() string { return fmt.Sprintf("contextd-test-%d", p.port) }

func (p *Process) tail() string {
	b, _ := os.ReadFile(filepath.Join(p.dir, "log"))
	b = bytes.TrimSpace(b)
	return string(b[max(0, len(b)-500):])
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// HasSearch reports whether the server of client knows FT commands.
func HasSearch(ctx context.Context, client redis.UniversalClient) (bool, error) {
	err := client.Do(ctx, "FT._LIST").Err()
	if rdb.Classify(err) == rdb.NoModule {
		return false, nil
	}
	return err == nil, err
}
