// Command testsum reads the output of "go test -json" from stdin and prints what people want of it: one line a package,
// the output of what failed, why a test was skipped, and at the end the line "N passed, N failed, N skipped". It exits
// with 1 when something failed or no test ran.
//
// With -again, a few failed tests are run once more, by themselves, and count as they end then; it says which they are.
// What follows the flag is given to that "go test", as in "testsum -again -race". A data race, a panic and a failure
// outside all tests are never forgiven.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// maxAgain is how many failed tests are run once more: a busy machine makes one or two late, what is broken fails many.
const maxAgain = 4

// event is one line of go test -json, or of go build -json among them.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

func main() {
	c := newCounts()
	err := c.read(os.Stdin, os.Stdout)
	if failed := c.failedTests(); err == nil && len(os.Args) > 1 && os.Args[1] == "-again" && 0 < len(failed) &&
		len(failed) <= maxAgain {
		err = c.runAgain(failed, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	passed, failed, skipped := c.sum()
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}

// test is a top-level test; name is empty for what its package did outside all tests.
type test struct{ pkg, name string }

// tally counts a test and its subtests.
type tally struct{ passed, failed, skipped int }

type counts struct {
	of       map[test]*tally
	failures map[string]int  // tests, by package
	broken   map[string]bool // packages with a data race or a panic
}

func newCounts() *counts {
	return &counts{of: map[test]*tally{}, failures: map[string]int{}, broken: map[string]bool{}}
}

// read counts the tests of r and writes to w what failed and was skipped. A package that fails without a failing test
// counts as one failure.
func (c *counts) read(r io.Reader, w io.Writer) error {
	output := map[string]*strings.Builder{} // by package and test
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, readErr := in.ReadString('\n')
		if e, ok := parse(line); ok {
			key := e.Package + e.ImportPath + " " + e.Test
			switch e.Action {
			case "output", "build-output":
				if output[key] == nil {
					output[key] = &strings.Builder{}
				}
				output[key].WriteString(e.Output)
				if strings.HasPrefix(e.Output, "WARNING: DATA RACE") || strings.HasPrefix(e.Output, "panic: ") {
					c.broken[e.Package] = true
				}
			case "build-fail":
				fmt.Fprint(w, output[key])
			case "pass", "fail", "skip":
				c.end(e, orEmpty(output[key]), w)
				delete(output, key)
			}
		} else if strings.TrimSpace(line) != "" {
			fmt.Fprint(w, line) // not from a test: the go command itself speaks
		}
		if readErr == io.EOF {
			return nil
		} else if readErr != nil {
			return fmt.Errorf("read test output: %w", readErr)
		}
	}
}

// end counts the end of a test or package, whose output is text.
func (c *counts) end(e event, text string, w io.Writer) {
	name, _, _ := strings.Cut(e.Test, "/")
	of := c.of[test{e.Package, name}]
	if of == nil {
		of = &tally{}
		c.of[test{e.Package, name}] = of
	}
	switch {
	case e.Test == "" && e.Action == "fail":
		if c.failures[e.Package] == 0 {
			of.failed++
			fmt.Fprint(w, text)
		}
		fmt.Fprintf(w, "FAIL %s (%.1fs)\n", e.Package, e.Elapsed)
	case e.Test == "" && e.Action == "pass":
		fmt.Fprintf(w, "ok   %s (%.1fs)\n", e.Package, e.Elapsed)
	case e.Test == "":
	case e.Action == "pass":
		of.passed++
	case e.Action == "skip":
		of.skipped++
		fmt.Fprint(w, text)
	default:
		of.failed++
		c.failures[e.Package]++
		fmt.Fprint(w, text)
	}
}

func (c *counts) sum() (passed, failed, skipped int) {
	for _, of := range c.of {
		passed, failed, skipped = passed+of.passed, failed+of.failed, skipped+of.skipped
	}
	return passed, failed, skipped
}

// failedTests are the top-level tests that failed, in order.
func (c *counts) failedTests() (failed []test) {
	for id, of := range c.of {
		if of.failed > 0 {
			failed = append(failed, id)
		}
	}
	slices.SortFunc(failed, func(a, b test) int { return strings.Compare(a.pkg+" "+a.name, b.pkg+" "+b.name) })
	return failed
}

// runAgain runs each of failed by itself and counts it as it ends now. A failure outside all tests stays.
func (c *counts) runAgain(failed []test, flags []string) error {
	for _, id := range failed {
		if id.name == "" || c.broken[id.pkg] {
			continue
		}
		fmt.Printf("once more: %s of %s\n", id.name, id.pkg)
		cmd := exec.Command("go", slices.Concat([]string{"test", "-json", "-count=1", "-run", "^" + id.name + "$"},
			flags, []string{id.pkg})...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return fmt.Errorf("run %s once more: %w", id.name, err)
		}
		again := newCounts()
		if err := again.read(strings.NewReader(string(out)), os.Stdout); err != nil {
			return err
		}
		if of := again.of[id]; of != nil && of.failed == 0 && !again.broken[id.pkg] {
			fmt.Printf("FAILED AT FIRST, passed by itself: %s of %s\n", id.name, id.pkg)
			c.of[id] = of
		}
	}
	return nil
}

func parse(line string) (e event, ok bool) {
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil {
		return event{}, false
	}
	return e, e.Action != ""
}

func orEmpty(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	return b.String()
}
