// Command testsum reads the output of "go test -json" from stdin and prints what people want of it: one line a package,
// the output of what failed, why a test was skipped, and at the end the line "N passed, N failed, N skipped". It exits
// with 1 when something failed or no test ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is one line of go test -json, or of go build -json among them.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

func main() {
	passed, failed, err := summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}

// summarize counts tests and their subtests; a package that fails without a failing test counts as one failure.
func summarize(r io.Reader, w io.Writer) (passed, failed int, err error) {
	output := map[string]*strings.Builder{} // by package and test
	failures := map[string]int{}            // by package
	skipped := 0
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
			case "build-fail":
				fmt.Fprint(w, output[key])
			case "pass", "fail", "skip":
				text := output[key]
				delete(output, key)
				switch {
				case e.Test == "" && e.Action == "fail":
					if failures[e.Package] == 0 {
						failed++
						fmt.Fprint(w, orEmpty(text))
					}
					fmt.Fprintf(w, "FAIL %s (%.1fs)\n", e.Package, e.Elapsed)
				case e.Test == "" && e.Action == "pass":
					fmt.Fprintf(w, "ok   %s (%.1fs)\n", e.Package, e.Elapsed)
				case e.Test == "":
				case e.Action == "pass":
					passed++
				case e.Action == "skip":
					skipped++
					fmt.Fprint(w, orEmpty(text))
				default:
					failed++
					failures[e.Package]++
					fmt.Fprint(w, orEmpty(text))
				}
			}
		} else if strings.TrimSpace(line) != "" {
			fmt.Fprint(w, line) // not from a test: the go command itself speaks
		}
		if readErr == io.EOF {
			break
		} else if readErr != nil {
			return passed, failed, fmt.Errorf("read test output: %w", readErr)
		}
	}
	_, err = fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return passed, failed, err
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
