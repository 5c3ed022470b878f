package retrieve

import (
	"math"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/search"
)

// Without takes a reason back.
func (r *Reply) Without(reason Reason) {
	r.Reasons = slices.DeleteFunc(r.Reasons, func(have Reason) bool { return have == reason })
}

// addOf tells what a nomination lacks.
func (r *Reply) addOf(found *search.Nominees) {
	if found.Building {
		r.add(IndexBuilding)
	}
	if found.VectorsBuilding {
		r.add(VectorsBuilding)
	}
	if found.Partial {
		r.add(Deadline)
	}
}

// add notes a reason once. What is being made is not missing.
func (r *Reply) add(reason Reason) {
	switch {
	case reason == IndexMissing && slices.Contains(r.Reasons, IndexBuilding):
		return
	case reason == IndexBuilding:
		r.Without(IndexMissing)
	}
	if !slices.Contains(r.Reasons, reason) {
		r.Reasons = append(r.Reasons, reason)
	}
}

// With is the finished reply with what its caller found against it since.
func (r *Reply) With(reasons ...Reason) *Reply {
	for _, reason := range reasons {
		r.add(reason)
	}
	r.setStatus()
	return r
}

// finish sets the status from what the reply holds.
func (r *Reply) finish(began time.Time) *Reply {
	r.TookMS = float64(time.Since(began).Microseconds()) / 1000
	r.BestRelevance = fourDigits(r.BestRelevance)
	for i := range r.Results {
		r.Results[i].Relevance = fourDigits(r.Results[i].Relevance)
		r.Results[i].ShareOfBest = fourDigits(r.Results[i].ShareOfBest)
	}
	for i := range r.Nearest {
		r.Nearest[i].Relevance = fourDigits(r.Nearest[i].Relevance)
	}
	if r.Rejected != nil {
		for i := range *r.Rejected {
			(*r.Rejected)[i].Relevance = fourDigits((*r.Rejected)[i].Relevance)
		}
	}
	if r.Generation < r.least {
		r.add(GenerationBehind)
	}
	r.setStatus()
	return r
}

// setStatus sums up reasons and results. Results were compared with the disk: changes that wait are told where there
// are none that are no guess.
func (r *Reply) setStatus() {
	if r.Holds() {
		r.Without(ChangesWaiting)
	}
	weak := false
	for _, reason := range r.Reasons {
		weak = weak || reason != StateRebuilt &&
			(reason != ChangesWaiting && reason != VectorsBuilding || len(r.Results) == 0)
	}
	switch {
	case weak:
		r.Status = Degraded
	case len(r.Results) > 0:
		r.Status = OK
	default:
		r.Status = Empty
	}
}

// fourDigits is as exact as a relevance is worth.
func fourDigits(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Holds reports whether the reply holds code that is no guess.
func (r *Reply) Holds() bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Grade != gates.Possible })
}
