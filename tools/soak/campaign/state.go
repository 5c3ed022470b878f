package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"
)

// State is what the slices of a campaign add up to.
type State struct {
	Seed     uint64            `json:"seed"`
	Slices   int               `json:"slices"`
	Seconds  float64           `json:"seconds"`
	Next     map[string]int    `json:"next"` // by backing: the first step not yet done
	Counts   map[string]Counts `json:"counts"`
	Noise    []Lateness        `json:"noise"`   // of each slice
	Skipped  map[string]string `json:"skipped"` // kinds of faults that this machine does not allow, and why
	Findings []Finding         `json:"findings"`
}

// Counts is what was done and checked on one backing.
type Counts struct {
	Steps    map[string]int `json:"steps"` // by kind; only those that were effective
	Answers  int            `json:"answers"`
	Degraded int            `json:"degraded"`
	Results  int            `json:"results"`
	Refused  int            `json:"refused"` // requests to a server that was down or stopped: no answer to check
	Timed    int            `json:"timed"`   // answers whose time was held against their deadline
	Over     int            `json:"over"`    // of these, later than 50 ms after their deadline
	Beyond   int            `json:"beyond"`  // of these, beyond the noise: each is a finding
	Worst    float64        `json:"worst_ms"`

	Changes  int `json:"changes"` // files whose last change was confirmed
	Found    int `json:"found"`   // of these, found when things had settled
	Saved    int `json:"saved"`   // memories whose save was confirmed
	Kept     int `json:"kept"`    // of these, there in the end
	Flushed  int `json:"flushed"` // of these, gone by a FLUSHALL, as promised
	Settled  int `json:"settled"` // times that all was checked at rest
	Compared int `json:"compared"`
}

// NewState is that of a campaign that has not begun.
func NewState(seed uint64) *State {
	return &State{Seed: seed, Next: map[string]int{}, Counts: map[string]Counts{}, Skipped: map[string]string{}}
}

// Resume reads the state of a campaign; there is none yet if there is no such file. A seed other than that of the file
// is an error, for its steps would be others.
func Resume(file string, seed uint64) (*State, error) {
	s := NewState(seed)
	if file == "" {
		return s, nil
	}
	err := readJSON(file, s)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && s.Seed != seed {
		err = fmt.Errorf("resume %q: it is of seed %d, not %d", file, s.Seed, seed)
	}
	return s, err
}

// Save writes the state.
func (s *State) Save(file string) error {
	if file == "" {
		return nil
	}
	return writeJSON(file, s)
}

// Slice adds what a slice of the campaign did.
func (s *State) Slice(took time.Duration, noise Lateness) {
	s.Slices++
	s.Seconds += took.Seconds()
	s.Noise = append(s.Noise, noise)
}

// Add adds what a slice did on one backing, up to and without step next.
func (s *State) Add(backing string, next int, c Counts, findings []Finding) {
	s.Next[backing] = next
	s.Counts[backing] = s.Counts[backing].plus(c)
	s.Findings = append(s.Findings, findings...)
}

// Faults is how many there were.
func (s *State) Faults() (n int) {
	for _, c := range s.Counts {
		n += c.Faults()
	}
	return n
}

// Faults is how many of the steps were faults.
func (c Counts) Faults() (n int) {
	for name, times := range c.Steps {
		if IsFault(name) {
			n += times
		}
	}
	return n
}

func (c Counts) plus(d Counts) Counts {
	steps := maps.Clone(c.Steps)
	if steps == nil {
		steps = map[string]int{}
	}
	for name, n := range d.Steps {
		steps[name] += n
	}
	return Counts{Steps: steps, Answers: c.Answers + d.Answers, Degraded: c.Degraded + d.Degraded,
		Results: c.Results + d.Results, Refused: c.Refused + d.Refused, Timed: c.Timed + d.Timed, Over: c.Over + d.Over,
		Beyond: c.Beyond + d.Beyond, Worst: max(c.Worst, d.Worst), Changes: c.Changes + d.Changes,
		Found: c.Found + d.Found, Saved: c.Saved + d.Saved, Kept: c.Kept + d.Kept, Flushed: c.Flushed + d.Flushed,
		Settled: c.Settled + d.Settled, Compared: c.Compared + d.Compared}
}
