package usage

import (
	"math"
	"time"
)

// HalfLife is the time in which what was learnt loses half its weight.
const HalfLife = 7 * 24 * time.Hour

// Retrievals that it takes until a share means something.
const (
	minItem = 2
	minKind = 20
)

// stat is what is known of an item, or of a kind of items.
type stat struct {
	retrieved, referenced int
	shown, hit            float64 // the same, each event halved every HalfLife up to at
	score                 float64 // at the time at
	at                    time.Time
}

// fade is what is left of a weight after d.
func fade(d time.Duration) float64 {
	if d <= 0 {
		return 1
	}
	return math.Exp2(-float64(d) / float64(HalfLife))
}

// record adds a retrieval, a reference or both.
func (s stat) record(retrieved, referenced bool, weight float64, now time.Time) stat {
	left := fade(now.Sub(s.at))
	s.shown, s.hit, s.score = s.shown*left, s.hit*left, s.score*left+weight
	if now.After(s.at) {
		s.at = now
	}
	if retrieved {
		s.retrieved++
		s.shown++
	}
	if referenced {
		s.referenced++
		s.hit++
	}
	return s
}

// boost is the weight from .5 to 1.5 of what was retrieved at least least times, else 1.
func (s stat) boost(least int) float64 {
	if s.retrieved < least || s.shown <= 0 {
		return 1
	}
	return .5 + min(1, s.hit/s.shown)
}

// scoreAt is the score as it is later.
func (s stat) scoreAt(now time.Time) float64 { return s.score * fade(now.Sub(s.at)) }
