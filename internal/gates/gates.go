// Package gates decides whether a candidate may stand in an answer.
//
// retrieve calls it for each candidate in rank order, with the facts that it gathered, and keeps the reason of each
// rejection for the receipt. The package is pure: it opens no file and keeps no state but the [Budget] of one answer.
//
// The gates stand in a fixed order and the first that fails gives the reason: first what makes an answer wrong or
// unsafe, then what makes it useless, last what makes it too long.
//
//  1. outside_root     the path leaves the root, links resolved
//  2. missing          there is no such regular file
//  3. binary           the file is no text
//  4. stale            the file is not the indexed one, and was not analyzed again
//  5. secret           the file holds a secret
//  6. excluded         a rule of the root leaves the file out
//  7. below_threshold  the candidate is not relevant enough, or one more guess than is wanted
//  8. cap_results      the answer is full
//  9. cap_bytes        the text does not fit into what is left of the answer
//  10. duplicate        the answer holds the same text of the same file already
//
// A fact that was not gathered fails: the zero [Facts] are outside_root.
package gates

import "github.com/contextd/contextd/internal/code"

// The reasons of a rejection, in the order of the gates. They are part of the outside contract.
const (
	OutsideRoot    = code.OutsideRoot
	Missing        = code.Missing
	Binary         = code.Binary
	Stale          = code.Reason("stale")
	Secret         = code.Reason("secret")
	Excluded       = code.Reason("excluded")
	BelowThreshold = code.Reason("below_threshold")
	CapResults     = code.Reason("cap_results")
	CapBytes       = code.CapBytes
	Duplicate      = code.Reason("duplicate")
)

// Facts is what is known of one candidate at its turn.
type Facts struct {
	Inside    bool    // the path lies in the root, links resolved
	Regular   bool    // it is a regular file that can be read
	Binary    bool    // its bytes are no text
	Fresh     bool    // its hash is the indexed one
	Overlay   bool    // it is not, but the candidate was analyzed from the bytes on disk
	Secret    bool    // its bytes hold a secret, or its name is one of a file of secrets
	Excluded  bool    // a rule of the root leaves it out: ignored, version control's own
	Relevance float64 // 0 to 1

	Results   int  // results admitted so far
	Pointers  int  // of these, the ones of grade Possible
	Left      int  // bytes of text that the answer has left
	Bytes     int  // bytes of text of this candidate
	Duplicate bool // a result admitted so far has the same text of the same file
}

// Decide admits a candidate, or gives the reason against it. It expects Options that are valid and have no zero fields.
func Decide(f Facts, o Options) (admit bool, reason code.Reason) {
	switch {
	case !f.Inside:
		reason = OutsideRoot
	case !f.Regular:
		reason = Missing
	case f.Binary:
		reason = Binary
	case !f.Fresh && (!f.Overlay || o.Stale == Skip):
		reason = Stale
	case f.Secret:
		reason = Secret
	case f.Excluded:
		reason = Excluded
	case o.GradeOf(f.Relevance) == "", o.GradeOf(f.Relevance) == Possible && f.Pointers >= o.Pointers:
		reason = BelowThreshold
	case f.Results >= o.MaxResults:
		reason = CapResults
	case f.Bytes > f.Left:
		reason = CapBytes
	case f.Duplicate:
		reason = Duplicate
	}
	return reason == "", reason
}
