package campaign

import (
	"fmt"
	"math/rand/v2"
)

// Step is one thing that is done to a tree, to the processes or to what they stand on.
type Step struct {
	N    int    `json:"n"`    // its number on its backing, from 0
	Kind string `json:"kind"` // a name of kinds, or Settle
	// what its own choices are made from, so that it makes the same ones when others are left out
	Rand uint64 `json:"rand"`
	Wait int    `json:"wait"` // ms until the next step
}

// Settle is the step that ends all faults and compares with what has to be.
const Settle = "settle"

// kind is a row of the table of steps.
type kind struct {
	name   string
	weight int
	on     need
	edit   bool // an edit or an everyday command: no fault
}

type need int

const (
	always need = iota
	onRedis
	onServer // with an embedding server
)

var kinds = []kind{
	{"edit", 50, always, true},
	{"add", 16, always, true},
	{"delete", 12, always, true},
	{"rename", 10, always, true},
	{"many", 6, always, true},
	{"ignore", 2, always, true},
	{"index", 6, always, true},
	{"enqueue", 8, always, true},

	{"checkout", 14, always, false},
	{"checkout-storm", 4, always, false},
	{"rename-storm", 5, always, false},
	{"swap", 4, always, false},
	{"daemon-kill", 14, always, false},
	{"daemon-term", 6, always, false},
	{"daemon-stop", 8, always, false},
	{"daemon-stop-lease", 1, always, false},
	{"daemon-pidns", 4, always, false},
	{"server-kill", 8, always, false},
	{"server-stop", 6, always, false},
	{"index-kill", 8, always, false},
	{"index-pidns", 5, always, false},
	{"file-limit", 4, always, false},
	{"disk-full", 6, always, false},
	{"clock-jump", 8, always, false},

	{"redis-kill", 6, onRedis, false},
	{"redis-hang", 6, onRedis, false},
	{"redis-flush", 1, onRedis, false},
	{"redis-drop", 3, onRedis, false},
	{"redis-full", 6, onRedis, false},
	{"redis-readonly", 6, onRedis, false},
	{"redis-slow", 6, onRedis, false},
	{"redis-cut", 10, onRedis, false},
	{"redis-torn", 6, onRedis, false},
	{"redis-refuse", 6, onRedis, false},

	{"embed-slow", 6, onServer, false},
	{"embed-hang", 5, onServer, false},
	{"embed-size", 5, onServer, false},
	{"embed-few", 4, onServer, false},
	{"embed-torn", 4, onServer, false},
	{"embed-busy", 4, onServer, false},
}

// Faults are the names of the steps that are faults, in the order of the report.
func Faults() (names []string) {
	for _, k := range kinds {
		if !k.edit {
			names = append(names, k.name)
		}
	}
	return names
}

// Kinds are the names of all steps but Settle.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// IsFault reports whether a step of this kind counts as a fault.
func IsFault(name string) bool {
	for _, k := range kinds {
		if k.name == name {
			return !k.edit
		}
	}
	return false
}

// Place is where steps are done.
type Place struct {
	Backing  string `json:"backing"`  // "embedded" or "redis"
	Embedder string `json:"embedder"` // "static" or "openai", a server of the soak's own
}

func (p Place) String() string { return fmt.Sprintf("%s, %s", p.Backing, p.Embedder) }

// Places are those of a slice: both backings, one of them with an embedding server, by turns.
func Places(seed uint64, slice int) []Place {
	p := []Place{{"embedded", "static"}, {"redis", "static"}}
	p[(seed+uint64(slice))%2].Embedder = "openai"
	return p
}

const (
	between = 12 // steps between two of Settle, on average
	longest = 24 // at most
)

// Next is step n of a seed at a place. It depends on nothing else, so that a slice can begin anywhere.
func Next(seed uint64, p Place, n int) Step {
	rnd := rand.New(rand.NewPCG(seed*2+uint64(len(p.Backing)%2), uint64(n)))
	s := Step{N: n, Rand: rnd.Uint64(), Wait: rnd.IntN(200)}
	if rnd.IntN(between) == 0 || n%longest == longest-1 {
		s.Kind, s.Wait = Settle, 0
		return s
	}
	total := 0
	for _, k := range kinds {
		total += k.weightAt(p)
	}
	at := rnd.IntN(total)
	for _, k := range kinds {
		if at -= k.weightAt(p); at < 0 {
			s.Kind = k.name
			break
		}
	}
	return s
}

func (k kind) weightAt(p Place) int {
	if k.on == onRedis && p.Backing != "redis" || k.on == onServer && p.Embedder != "openai" {
		return 0
	}
	return k.weight
}
