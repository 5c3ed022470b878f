//go:build unix

package e2etest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// World is where commands run: state, settings and home of their own.
type World struct {
	Bin    string // folder of the binaries
	Dir    string // for state, home and logs
	Redis  string // URL; "" for the embedded backing
	Prefix string // of the keys
	Env    []string
	Limit  time.Duration // how long a command may take; 0: 90 s
	Apart  bool          // each process in a pid namespace of its own, where this user may make one

	twins atomic.Int64
}

// InNamespaces is this world for processes that see no other one, as containers on one volume do.
func (w *World) InNamespaces() *World {
	return &World{Bin: w.Bin, Dir: w.Dir, Redis: w.Redis, Prefix: w.Prefix, Env: w.Env, Apart: true}
}

// Through is this world with another way to its Redis, and files of its own for everything else.
func (w *World) Through(url, dir string) *World {
	return &World{Bin: w.Bin, Dir: filepath.Join(w.Dir, dir), Redis: url, Prefix: w.Prefix, Env: w.Env}
}

// Twin is another world on the same machine and Redis with nothing indexed.
func (w *World) Twin() *World {
	n := w.twins.Add(1)
	return &World{Bin: w.Bin, Dir: filepath.Join(w.Dir, fmt.Sprintf("twin%d", n)), Redis: w.Redis,
		Prefix: fmt.Sprintf("%stwin%d", w.Prefix, n), Env: w.Env}
}

// State is the state directory.
func (w *World) State() string { return filepath.Join(w.Dir, "state") }

// Result is how a command ended.
type Result struct {
	Args     string
	Code     int
	Out, Err string
	Took     time.Duration
	CPU      time.Duration // of the process and its children
}

func (r *Result) String() string {
	return fmt.Sprintf("%q: exit %d after %v, stdout %s, stderr %s", r.Args, r.Code, r.Took.Round(time.Millisecond),
		short(r.Out), short(r.Err))
}

// crash is what a Go program says that dies of a bug, or of a race.
var crash = regexp.MustCompile(`(?m)^panic: |^fatal error: |goroutine \d+ \[|WARNING: DATA RACE`)

// Exec runs a command to its end. A crash, death by a signal or no end within Limit is an error; an exit status is not.
func (w *World) Exec(name string, args ...string) (*Result, error) {
	return w.run(context.Background(), cmp.Or(w.Limit, 90*time.Second), filepath.Join(w.Bin, name), args...)
}

// Limited is Exec with no file growing over so many blocks of 512 bytes, as on a disk that is full.
func (w *World) Limited(blocks int, name string, args ...string) (*Result, error) {
	script := fmt.Sprintf(`trap "" XFSZ; ulimit -f %d; exec "$0" "$@"`, blocks)
	return w.run(context.Background(), 90*time.Second, "/bin/sh",
		append([]string{"-c", script, filepath.Join(w.Bin, name)}, args...)...)
}

// Feed is Exec with a text on standard input.
func (w *World) Feed(input, name string, args ...string) (*Result, error) {
	f, err := os.CreateTemp("", "input")
	if err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(input); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	return w.run(context.Background(), 90*time.Second, "/bin/sh",
		append([]string{"-c", `in="$0"; exec "$@" <"$in"`, f.Name(), filepath.Join(w.Bin, name)}, args...)...)
}

// ExecContext is Exec for a command that is killed when ctx ends, which is an error that wraps that of ctx.
func (w *World) ExecContext(ctx context.Context, name string, args ...string) (*Result, error) {
	return w.run(ctx, 90*time.Second, filepath.Join(w.Bin, name), args...)
}

func (w *World) run(ctx context.Context, limit time.Duration, path string, args ...string) (*Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("it did not end in time"))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	began := time.Now()
	if err := w.start(cmd); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	stop()
	r := &Result{Args: filepath.Base(path) + " " + strings.Join(args, " "), Code: cmd.ProcessState.ExitCode(),
		Out: out.String(), Err: stderr.String(), Took: time.Since(began),
		CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, fmt.Errorf("%v: %w", r, context.Cause(ctx))
	case r.Code < 0 || crash.MatchString(r.Err):
		return r, fmt.Errorf("crashed: %v: %s", r, r.Err)
	case err != nil && !errors.As(err, &exit):
		return r, fmt.Errorf("run %v: %w", r, err)
	}
	return r, nil
}

// start starts cmd in this world.
func (w *World) start(cmd *exec.Cmd) error { return w.startIn(cmd, w.Dir) }

// startIn starts cmd in this world, in the folder dir.
func (w *World) startIn(cmd *exec.Cmd, dir string) error {
	home := filepath.Join(w.Dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1",
		"GORACE=atexit_sleep_ms=0", // else the race detector holds up each end of a process by a second
		"CONTEXTD_STATE_DIR=" + w.State(), "CONTEXTD_PREFIX=" + w.Prefix, "CONTEXTD_REDIS=" + w.Redis}, w.Env...)
	if w.Apart {
		if err := isolate(cmd); err != nil {
			return err
		}
	}
	if err := Start(cmd); err != nil {
		return fmt.Errorf("start %q: %w", cmd.Path, err)
	}
	return nil
}

// JSON runs a command that must exit with 0 and reads its document into into.
func (w *World) JSON(into any, name string, args ...string) error {
	r, err := w.Exec(name, append(args, "--json")...)
	switch {
	case err != nil:
		return err
	case r.Code != 0:
		return fmt.Errorf("want exit 0 of %v", r)
	}
	if err := json.Unmarshal([]byte(r.Out), into); err != nil {
		return fmt.Errorf("read the document of %v: %w", r, err)
	}
	return nil
}

// Indexed is the document of "indexer index".
type Indexed struct {
	Project                                string
	Generation                             int64
	Files, Chunks, Added, Changed, Removed int
}

// Index brings root up to date and must succeed.
func (w *World) Index(root string, flags ...string) (Indexed, error) {
	var doc Indexed
	return doc, w.JSON(&doc, "indexer", append([]string{"index", root}, flags...)...)
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 600 {
		s = s[:300] + " … " + s[len(s)-300:]
	}
	return fmt.Sprintf("%q", s)
}
