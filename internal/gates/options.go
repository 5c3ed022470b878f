package gates

import (
	"cmp"
	"fmt"
)

// Mode says what happens to code that changed since it was indexed.
type Mode string

// The modes of Options.Stale.
const (
	Verify Mode = "verify" // it is shown as it is on disk now
	Skip   Mode = "skip"   // it is left out
)

// NoThreshold as Options.MinRelevance admits candidates of any relevance.
const NoThreshold = -1

// Options are the limits of one answer.
type Options struct {
	MinRelevance float64 // least relevance of a result with text, above 0 to 1, or NoThreshold; 0 means 0.3
	InjectAt     float64 // least relevance of a strong result, above 0 to 1; 0 means 0.85
	Pointers     int     // greatest number of results of less than MinRelevance, which are pointers; 0 means none
	Floor        float64 // least relevance of those, from 0 to 1
	MaxResults   int     // greatest number of results, from 1; 0 means 3
	MaxChars     int     // greatest length of a snippet in characters, from 1; 0 means 200
	MaxBytes     int     // greatest length of all snippets together in UTF-8 bytes, from 1; 0 means 2048
	Stale        Mode    // "" means Verify
	MaxLines     int     // greatest number of lines of a snippet; 0 means any
}

// Threshold is the MinRelevance for a number that a user gave, for whom 0 is a number and not a default.
func Threshold(min float64) float64 {
	if min == 0 {
		return NoThreshold
	}
	return min
}

// WithDefaults returns o with the default in place of each zero field.
func (o Options) WithDefaults() Options {
	o.MinRelevance = cmp.Or(o.MinRelevance, .3)
	o.InjectAt = cmp.Or(o.InjectAt, .85)
	o.MaxResults = cmp.Or(o.MaxResults, 3)
	o.MaxChars = cmp.Or(o.MaxChars, 200)
	o.MaxBytes = cmp.Or(o.MaxBytes, 2048)
	o.Stale = cmp.Or(o.Stale, Verify)
	return o
}

// Validate names the first field with a value out of its range. A zero field is valid.
func (o Options) Validate() error {
	if m := o.MinRelevance; m != NoThreshold && !(m >= 0 && m <= 1) {
		return fmt.Errorf("gates.min_relevance must be between 0 and 1 (got %v)", m)
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"inject_at", o.InjectAt}, {"floor", o.Floor}} {
		if !(f.value >= 0 && f.value <= 1) {
			return fmt.Errorf("gates.%s must be between 0 and 1 (got %v)", f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"pointers", o.Pointers}, {"max_lines", o.MaxLines}} {
		if f.value < 0 {
			return fmt.Errorf("gates.%s must be a whole number from 0 (got %d)", f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"max_results", o.MaxResults}, {"max_chars", o.MaxChars}, {"max_bytes", o.MaxBytes}} {
		if f.value < 0 {
			return fmt.Errorf("gates.%s must be a whole number from 1 (got %d)", f.name, f.value)
		}
	}
	if o.Stale != "" && o.Stale != Verify && o.Stale != Skip {
		return fmt.Errorf("gates.stale must be %q or %q (got %q)", Verify, Skip, o.Stale)
	}
	return nil
}
