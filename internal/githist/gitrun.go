package githist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/sandbox"
)

// git runs "git log" over the commits that revs, full hashes with or without "^", reach and returns what it wrote, if
// need be without the end; so it does with ErrLimit.
func git(ctx context.Context, r *sandbox.Repository, memory int64, revs []string, args ...string) ([]byte, error) {
	var text []byte
	err := stream(ctx, r, memory, strings.NewReader(strings.Join(revs, "\n")+"\n"), func(out io.Reader) (err error) {
		text, err = readBounded(out)
		return err
	}, slices.Concat(logArgs, []string{"--stdin"}, args)...)
	var long *longError
	if errors.As(err, &long) { // what came is enough: the oldest commits are missing
		return text[:bytes.LastIndexByte(text, 0)+1], nil
	}
	if errors.Is(err, ErrLimit) {
		return text[:bytes.LastIndexByte(text, 0)+1], err
	}
	return text, err
}

// readBounded reads at most maxOutput bytes; what comes beyond is a longError.
func readBounded(out io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(out, maxOutput+1))
	if len(text) > maxOutput {
		return text[:maxOutput], &longError{}
	}
	return text, err
}

// longError is returned with the first maxOutput bytes of a longer output.
type longError struct{}

func (*longError) Error() string { return fmt.Sprintf("git: output of more than %d MB", maxOutput>>20) }

// run runs git over a repository's objects and returns what it wrote.
func run(ctx context.Context, r *sandbox.Repository, in io.Reader, args ...string) (text []byte, err error) {
	err = stream(ctx, r, maxMemory, in, func(out io.Reader) (err error) {
		text, err = readBounded(out)
		return err
	}, args...)
	return text, err
}

// stream runs git over a repository's objects and has its output read. An error of read ends it. A git that needs more
// than memory bytes is ErrLimit. What was read is of no use after ErrChanged: it may be another repository's.
func stream(
	ctx context.Context, r *sandbox.Repository, memory int64, in io.Reader, read func(io.Reader) error, args ...string,
) error {
	name, err := exec.LookPath("git")
	if err != nil {
		return fmt.Errorf("%w: git is not installed", ErrNone)
	}
	stores, err := r.OpenStores(ctx)
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	defer stores.Close()
	dir, err := makeGitDir(r)
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, slices.Concat([]string{"--git-dir=" + dir}, gitArgs, args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environment(r), time.Second
	if stores != nil {
		if err := giveStores(cmd, dir, stores); err != nil {
			return fmt.Errorf("run git: %w", err)
		}
	}
	complaint := &head{max: maxComplaint}
	cmd.Stderr = complaint
	limited := make(chan struct{})
	if in != nil { // what git is asked for comes after its limit, so that it cannot work before
		cmd.Stdin = &gate{in, limited}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	err = cmd.Start()
	if err == nil {
		// a system that does not let it be set is like one that has no such limit
		_ = limitMemory(cmd.Process.Pid, memory)
	}
	close(limited)
	if err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	readErr := read(out)
	ended := ctx.Err()
	if readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	switch {
	case stores != nil && !stores.Unchanged():
		return ErrChanged
	case ended != nil:
		return fmt.Errorf("run git: %w", ended)
	case readErr != nil:
		return readErr
	case err != nil && outOfMemory(cmd.ProcessState, complaint.String()):
		return fmt.Errorf("%w: git needs more than %d MB of memory for this repository: %w", ErrLimit, memory>>20, err)
	case err != nil:
		return fmt.Errorf("%w: git: %w: %s", ErrNone, err, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// gate is a Reader that waits until open is closed.
type gate struct {
	io.Reader
	open <-chan struct{}
}

func (g *gate) Read(p []byte) (int, error) {
	<-g.open
	return g.Reader.Read(p)
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), h.max-h.Len())])
	return len(p), nil
}

// outOfMemory reports whether git ended because memory was refused to it: it says so, or a signal ended it.
func outOfMemory(state *os.ProcessState, complaint string) bool {
	if state != nil && state.ExitCode() < 0 {
		return true
	}
	complaint = strings.ToLower(complaint)
	return strings.Contains(complaint, "out of memory") || strings.Contains(complaint, "cannot allocate memory") ||
		strings.Contains(complaint, "mmap failed")
}
