package ingest

import (
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/search"
)

// maxTries is the number of failed analyses of one content after which the file is set aside: it is read again only
// when its stat changes, and analyzed again only when its content changes.
const maxTries = 3

// maxFaultLen is the maximum length of a remembered cause, in bytes.
const maxFaultLen = 200

// failedTry stands in Entry.Detail of a file whose analysis failed, as of unreadable ones.
const failedTry = "failed %d of %d tries: %s"

// failedResult returns the result of a file with entry e whose analysis failed with fault: the file is left out, and
// the number of failed tries of this content is remembered. Other files are not affected.
func failedResult(e search.Entry, old *search.Entry, fault error) result {
	tries := 1
	if old != nil && old.Hash == e.Hash {
		tries += failedTries(old)
	}
	cause := safetext.Valid(safetext.Cut(fault.Error(), maxFaultLen))
	e.Skip, e.Detail = code.Unreadable, fmt.Sprintf(failedTry, tries, maxTries, cause)
	return result{doc: search.Document{Entry: e}, fault: fault}
}

// failedTries returns how often the analysis of the remembered content has failed.
func failedTries(e *search.Entry) (n int) {
	if e.Skip != code.Unreadable {
		return 0
	}
	var of int
	if k, _ := fmt.Sscanf(e.Detail, "failed %d of %d tries: ", &n, &of); k != 2 {
		return 0
	}
	return n
}

// mayRetry reports whether the analysis of a file has failed, but less than maxTries times.
func mayRetry(e *search.Entry) bool {
	n := failedTries(e)
	return n > 0 && n < maxTries
}
