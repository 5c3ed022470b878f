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

// gate is a check with the reason that it gives. It expects Options that are valid and have no zero fields.
type gate struct {
	reason code.Reason
	fails  func(f Facts, o Options) bool
}

// table holds the gates in their order.
var table = [...]gate{
	{OutsideRoot, func(f Facts, _ Options) bool { return !f.Inside }},
	{Missing, func(f Facts, _ Options) bool { return !f.Regular }},
	{Binary, func(f Facts, _ Options) bool { return f.Binary }},
	{Stale, func(f Facts, o Options) bool { return !f.Fresh && (!f.Overlay || o.Stale == Skip) }},
	{Secret, func(f Facts, _ Options) bool { return f.Secret }},
	{Excluded, func(f Facts, _ Options) bool { return f.Excluded }},
	{BelowThreshold, func(f Facts, o Options) bool {
		grade := o.GradeOf(f.Relevance)
		return grade == "" || grade == Possible && f.Pointers >= o.Pointers
	}},
	{CapResults, func(f Facts, o Options) bool { return f.Results >= o.MaxResults }},
	{CapBytes, func(f Facts, _ Options) bool { return f.Bytes > f.Left }},
	{Duplicate, func(f Facts, _ Options) bool { return f.Duplicate }},
}

// Reasons lists the reasons of all gates in their order.
func Reasons() []code.Reason {
	var all []code.Reason
	for _, g := range table {
		all = append(all, g.reason)
	}
	return all
}

// Decide admits a candidate, or gives the reason against it. It expects Options that are valid and have no zero fields.
func Decide(f Facts, o Options) (admit bool, reason code.Reason) {
	for i := range table {
		if table[i].fails(f, o) {
			return false, table[i].reason
		}
	}
	return true, ""
}
