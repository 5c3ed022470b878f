package tokens

import (
	"cmp"
	"fmt"
	"slices"
)

// Class says how a part is treated when room is short.
type Class int

// The classes.
const (
	Shared    Class = iota // goes into the share of its section
	First                  // goes in before the shares are made, if it fits
	Mandatory              // must go in
)

// Part is a piece of a context that wants room.
type Part struct {
	Section string
	Class   Class
	// Forms are the tokens that it takes in each form it can have, the best first: text, shortened text, one line. A
	// mandatory part goes in as its first.
	Forms []int
	// Value, if above 0, says what better forms than the last are worth. Such a part goes in as its last form; when all
	// other parts have what they can have, the better forms that fit come, the greatest Value for each further token
	// first.
	Value float64 `json:",omitempty"`
}

// Share is a section's claim on what the mandatory and the first parts leave.
type Share struct {
	Section string
	Weight  float64 // to those of the other sections that have parts; below 0 counts as 0
	Max     int     // tokens that the section may have in all; 0: no limit; below 0: none
}

// LeftOut stands for a part that is left out.
const LeftOut = -1

// TooSmallError is returned where a budget does not hold what must be in.
type TooSmallError struct {
	Need, Have int // tokens
}

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("budget of %d tokens is too small: the mandatory part alone needs %d", e.Have, e.Need)
}

// Fit chooses the form of each part, or LeftOut, so that all together take at most budget tokens. Parts come in the
// order in which they are wanted. A section without a Share has none of its own, but takes part in what is left over.
// What one section does not use goes to the others: first to parts that found no room, then to better forms, in the
// order of the parts.
func Fit(budget int, parts []Part, shares []Share) ([]int, error) {
	f := fitter{parts: parts, form: make([]int, len(parts)), used: map[string]int{}, limit: map[string]int{},
		left: budget}
	for i := range f.form {
		f.form[i] = LeftOut
	}
	for _, s := range shares {
		if s.Max != 0 {
			f.limit[s.Section] = max(s.Max, 0)
		}
	}
	need := 0
	for i, p := range parts {
		if p.Class == Mandatory && len(p.Forms) > 0 {
			need += p.Forms[0]
			f.form[i] = 0
		}
	}
	if need > budget {
		return nil, &TooSmallError{Need: need, Have: budget}
	}
	f.left -= need
	for i, p := range parts {
		if p.Class == First {
			f.place(i, f.left)
		}
	}
	f.share(shares)
	for i, p := range parts {
		if p.Class != Mandatory && f.form[i] == LeftOut {
			f.place(i, f.left)
		}
	}
	for i, p := range parts {
		if p.Class != Mandatory && f.form[i] > 0 && !(p.Value > 0) {
			f.place(i, f.left)
		}
	}
	f.improve()
	return f.form, nil
}

// fitter is a budget being divided.
type fitter struct {
	parts []Part
	form  []int          // of each part
	used  map[string]int // by the section's parts that are not mandatory
	limit map[string]int // of used; sections without one are missing
	left  int
}

// place gives a part its best form for which at most room tokens are taken beyond what it has already.
func (f *fitter) place(i, room int) (took int) {
	p, has := f.parts[i], 0
	if f.form[i] != LeftOut {
		has = p.Forms[f.form[i]]
	}
	if limit, ok := f.limit[p.Section]; ok {
		room = min(room, limit-f.used[p.Section])
	}
	for k, size := range p.Forms {
		if f.form[i] != LeftOut && k >= f.form[i] {
			break
		}
		if f.form[i] == LeftOut && p.Value > 0 && k < len(p.Forms)-1 {
			continue // improve gives it more
		}
		if size-has <= room {
			f.form[i] = k
			f.used[p.Section] += size - has
			f.left -= size - has
			return size - has
		}
	}
	return 0
}

// improve gives the parts that have a Value better forms while room is left, the most valuable for each token that its
// best form takes beyond its last first; between equals the order of the parts holds.
func (f *fitter) improve() {
	var order []int
	worth := make([]float64, len(f.parts))
	for i, p := range f.parts {
		if p.Class != Mandatory && p.Value > 0 && f.form[i] > 0 {
			order = append(order, i)
			worth[i] = PerToken(p.Value, p.Forms[0]-p.Forms[f.form[i]])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	for _, i := range order {
		f.place(i, f.left)
	}
}

// PerToken is a value for each of a number of tokens, of which there is at least one.
func PerToken(value float64, tokens int) float64 { return value / float64(max(tokens, 1)) }

// share fills each section up to its share, section by section; what one leaves is divided among those that follow.
func (f *fitter) share(shares []Share) {
	wants, sum := map[string][]int{}, 0.0
	for i, p := range f.parts {
		if p.Class == Shared {
			wants[p.Section] = append(wants[p.Section], i)
		}
	}
	seen := map[string]bool{}
	weight := func(s Share) float64 {
		if len(wants[s.Section]) == 0 || !(s.Weight > 0) {
			return 0
		}
		return min(s.Weight, 1e9)
	}
	for _, s := range shares {
		if !seen[s.Section] {
			seen[s.Section] = true
			sum += weight(s)
		}
	}
	for _, s := range shares {
		w := weight(s)
		if w == 0 || !seen[s.Section] {
			continue
		}
		seen[s.Section] = false // a second share of a section does not count
		room := min(int(float64(f.left)*cmp.Or(w/sum, 0)), f.left)
		sum -= w
		for _, i := range wants[s.Section] {
			room -= f.place(i, room)
		}
	}
}

// BudgetFor is a budget with which part i would go in, or get a better form than it has with this one; 0 if none would
// help: it is whole already, or its section's Max is what keeps it.
func BudgetFor(budget int, parts []Part, shares []Share, forms []int, i int) int {
	if forms[i] == 0 || len(parts[i].Forms) == 0 {
		return 0
	}
	sum := 0
	for k, p := range parts {
		used := 0
		if forms[k] != LeftOut {
			used = p.Forms[forms[k]]
		}
		sum += used
	}
	better := func(b int) bool {
		got, err := Fit(b, parts, shares)
		return err == nil && got[i] != LeftOut && (forms[i] == LeftOut || got[i] < forms[i])
	}
	low := budget // not enough
	for step := max(1, parts[i].Forms[len(parts[i].Forms)-1]-(budget-sum)); ; step *= 2 {
		b := budget + step
		if better(b) {
			for k := 0; k < 6 && b-low > 8; k++ { // nearer to what it takes
				if mid := (low + b) / 2; better(mid) {
					b = mid
				} else {
					low = mid
				}
			}
			return b
		}
		if low = b; step > 1<<24 {
			return 0
		}
	}
}
