package storetest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/store"
)

const (
	envPart  = "STORETEST_PART"
	envCount = "STORETEST_COUNT"
	envWhere = "STORETEST_WHERE"
)

// Main is the TestMain of an implementation. Where the suite started the test binary as another process, that process
// opens the store and plays its part. open takes the Where of a Place.
func Main(m *testing.M, open func(where string) (store.Store, error)) {
	part := os.Getenv(envPart)
	if part == "" {
		goleak.VerifyTestMain(m)
		return
	}
	s, err := open(os.Getenv(envWhere))
	if err == nil {
		n, _ := strconv.Atoi(os.Getenv(envCount))
		err = play(context.Background(), s, part, n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play does n steps of a part and says each on stdout after it is done.
func play(ctx context.Context, s store.Store, part string, n int) error {
	for i := range n {
		var err error
		switch part {
		case "count":
			err = increment(ctx, s)
		case "rows":
			err = writeRow(ctx, s, i)
		case "log":
			_, err = s.Append(ctx, "events", 1_000_000, fmt.Append(nil, i), fmt.Append(nil, i), fmt.Append(nil, i))
		}
		if err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}

// process is a second process at the test's store.
type process struct {
	*testing.T
	cmd   *exec.Cmd
	steps *bufio.Scanner
	said  strings.Builder
}

func (b *bundle) start(part string, n int) *process {
	b.Helper()
	exe, err := os.Executable()
	b.ok(err)
	p := &process{T: b.T, cmd: exec.Command(exe, "-test.run=^$")}
	p.cmd.Env = append(os.Environ(), envPart+"="+part, envCount+"="+strconv.Itoa(n), envWhere+"="+b.Where)
	p.cmd.Stderr = &p.said
	out, err := p.cmd.StdoutPipe()
	b.ok(err)
	p.steps = bufio.NewScanner(out)
	b.ok(p.cmd.Start())
	return p
}

// wait returns when all steps are done.
func (p *process) wait() {
	p.Helper()
	for p.steps.Scan() {
	}
	if err := p.cmd.Wait(); err != nil {
		p.Fatalf("the other process: %v: %s", err, p.said.String())
	}
}

// kill ends the process some time after it has done n steps and returns the number of the last step that it said was
// done.
func (p *process) kill(n int) (last int) {
	p.Helper()
	last = -1
	for p.steps.Scan() {
		var err error
		if last, err = strconv.Atoi(p.steps.Text()); err != nil {
			p.Fatalf("the other process says %q", p.steps.Text())
		}
		if last+1 == n {
			_ = p.cmd.Process.Kill()
		}
	}
	_ = p.cmd.Wait()
	if last+1 < n {
		p.Fatalf("the other process ended at step %d of %d: %s", last, n, p.said.String())
	}
	return last
}

var crashTests = []test{
	{"a killed process leaves the old or the new, and nothing that it said was done is lost", func(b *bundle) {
		for _, n := range []int{1, 2, 5, 17} {
			last := b.start("rows", 1_000_000).kill(n)
			if i, _ := b.row(); i != last && i != last+1 {
				b.Fatalf("after the kill the row is of step %d, the last one done is %d", i, last)
			}
			b.ok(writeRow(b.ctx(), b.Store, 0)) // and nothing stands in the way of others
		}
	}},
	{"entries of one call are all there or none", func(b *bundle) {
		for _, n := range []int{1, 7} {
			before, err := b.Tail(b.ctx(), "events", "", 1_000_000)
			b.ok(err)
			last := b.start("log", 1_000_000).kill(n)
			entries, err := b.Tail(b.ctx(), "events", "", 1_000_000)
			b.ok(err)
			entries = entries[len(before):]
			if got := len(entries); got%3 != 0 || got/3 != last+1 && got/3 != last+2 {
				b.Fatalf("%d entries, the last step done is %d", got, last)
			}
			for i, e := range entries {
				b.equal("entry", string(e.Data), fmt.Sprint(i/3))
			}
		}
	}},
}
