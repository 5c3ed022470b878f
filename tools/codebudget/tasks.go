package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// task is one task of the session with what it needs.
type task struct {
	Repo     string `json:"repo"`
	Category string `json:"category"`
	Query    string `json:"query"`
	Relevant []need `json:"relevant"`
}

// need is a file that a task needs, and its lines where they are known.
type need struct {
	Path   string   `json:"path"`
	Lines  []int    `json:"lines"`
	Ranges [][2]int `json:"ranges"`
}

// spans are the lines that are needed, none where nobody knows.
func (n *need) spans() [][2]int {
	if len(n.Lines) == 2 {
		return append(slices.Clone(n.Ranges), [2]int{n.Lines[0], n.Lines[1]})
	}
	return n.Ranges
}

// maxLine bounds one line of a file of tasks, in bytes.
const maxLine = 1 << 20

// readTasks reads the tasks of the categories and trees that are measured.
func readTasks(s settings, names []string) (out []task, err error) {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		in := bufio.NewScanner(f)
		in.Buffer(nil, maxLine)
		for in.Scan() {
			var t task
			if err = json.Unmarshal(in.Bytes(), &t); err != nil {
				break
			}
			if s.trees[t.Repo] != "" && slices.Contains(s.categories, t.Category) {
				out = append(out, t)
			}
		}
		if err == nil {
			err = in.Err()
		}
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("read tasks of %q: %w", name, err)
		}
	}
	return out, nil
}
