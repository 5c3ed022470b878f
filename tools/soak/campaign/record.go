package campaign

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Record is a list of steps that made something false, as -replay reads it.
type Record struct {
	Seed    uint64  `json:"seed"`
	Place   Place   `json:"place"`
	Finding Finding `json:"finding"`
	Steps   []Step  `json:"steps"`
}

// Finding is one thing that was false.
type Finding struct {
	Place Place  `json:"place"`
	Seed  uint64 `json:"seed"`
	Step  int    `json:"step"` // the last step begun
	Kind  string `json:"kind"` // "answer", "late", "change", "memory", "crash", "command", "soak"
	Text  string `json:"text"`
}

// Load reads a record.
func Load(file string) (*Record, error) {
	var r Record
	if err := readJSON(file, &r); err != nil {
		return nil, err
	}
	if len(r.Steps) == 0 {
		return nil, fmt.Errorf("read %q: no steps", file)
	}
	for _, s := range r.Steps {
		if s.Kind != Settle && !known(s.Kind) {
			return nil, fmt.Errorf("read %q: step %d: unknown kind %q", file, s.N, s.Kind)
		}
	}
	return &r, nil
}

func known(name string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name })
}

// Save writes a record.
func (r *Record) Save(file string) error { return writeJSON(file, r) }

func readJSON(file string, into any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read %q: %w", file, err)
	}
	return nil
}

// writeJSON replaces a file whole, so that a slice that is killed leaves the state of the slice before.
func writeJSON(file string, from any) error {
	b, err := json.MarshalIndent(from, "", " ")
	if err != nil {
		return fmt.Errorf("write %q: %w", file, err)
	}
	if err := os.WriteFile(file+".new", append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
