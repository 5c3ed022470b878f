// Command session writes a scripted working session from the history of a repository: its commits are the tasks, the
// files that they changed are the steps. One JSON object a line, as internal/prompt plays it:
//
//	go run ./tools/session -turns 200 > internal/prompt/testdata/session.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// turn is one step of a session.
type turn struct {
	Task     string `json:"task"`     // subject of the commit
	Decision string `json:"decision"` // its body: what was decided and why; told in the task's last step
	File     string `json:"file"`     // what the step changes
	Last     bool   `json:"last"`     // of its task
}

// stepsPerTask keeps a commit over the whole tree from being half of a session.
const stepsPerTask = 3

func main() {
	root := flag.String("root", ".", "a repository")
	turns := flag.Int("turns", 200, "number of steps, the newest ones")
	flag.Parse()
	if err := run(*root, *turns, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(root string, n int, out io.Writer) error {
	log, err := exec.Command("git", "-C", root, "-c", "log.showSignature=false", "log", "--reverse", "--no-merges",
		"--name-only",
		"--diff-filter=AM", "--format=%x01%s%x02%b%x02").Output()
	if err != nil {
		return fmt.Errorf("read the history of %q: %w", root, err)
	}
	var all []turn
	for commit := range strings.SplitSeq(string(log), "\x01") {
		part := strings.SplitN(commit, "\x02", 3)
		if len(part) < 3 || strings.TrimSpace(part[1]) == "" {
			continue
		}
		steps := files(root, part[2])
		for i, f := range steps {
			t := turn{Task: part[0], File: f, Last: i == len(steps)-1}
			if t.Last {
				t.Decision = strings.Join(strings.Fields(part[1]), " ")
			}
			all = append(all, t)
		}
	}
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, t := range all[max(0, len(all)-n):] {
		if err := enc.Encode(t); err != nil {
			return err
		}
	}
	return w.Flush()
}

// files are the first sources of a commit that are still there.
func files(root, list string) []string {
	var out []string
	for _, f := range strings.Fields(list) {
		if path.Ext(f) != ".go" || strings.HasSuffix(f, "_test.go") || slices.Contains(out, f) {
			continue
		}
		if _, err := os.Stat(path.Join(root, f)); err == nil && len(out) < stepsPerTask {
			out = append(out, f)
		}
	}
	return out
}
