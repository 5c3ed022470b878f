package ingest

import (
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/search"
)

// maxTries is how often the analysis of one content may fail before the file is set aside: it is read again only once its
// stat has changed, and analyzed again only once its content has.
const maxTries = 3

// maxFault is the longest cause that is remembered, in bytes.
const maxFault = 200

// failedTry stands in Entry.Detail of a file whose analysis failed, as of unreadable ones.
const failedTry = "failed %d of %d tries: %s"

// failed is what becomes of a file, of which e is known so far, that could not be analyzed because of fault: it is left
// out, and how often this content has failed is remembered. All other files go their way.
func failed(e search.Entry, old *search.Entry, fault error) result {
	tries := 1
	if old != nil && old.Hash == e.Hash {
		tries += triesOf(old)
	}
	cause := safetext.Valid(safetext.Cut(fault.Error(), maxFault))
	e.Skip, e.Detail = code.Unreadable, fmt.Sprintf(failedTry, tries, maxTries, cause)
	return result{doc: search.Document{Entry: e}, fault: fault}
}

// triesOf is how often the analysis of a file as it is remembered has failed; 0 if it has not.
func triesOf(e *search.Entry) (n int) {
	if e.Skip != code.Unreadable {
		return 0
	}
	var of int
	if k, _ := fmt.Sscanf(e.Detail, "failed %d of %d tries: ", &n, &of); k != 2 {
		return 0
	}
	return n
}

// tryAgain reports whether the analysis of a file has failed, and not yet too often.
func tryAgain(e *search.Entry) bool {
	n := triesOf(e)
	return n > 0 && n < maxTries
}
