package local

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
)

// CONFIRMED and FAILED are one line each: a sum of the rest, the epoch and the number of the commit that they follow,
// and the time (ns since 1970) or the quoted reason. One that follows another commit than the last, or is damaged, says
// nothing. They are two files so that no writer has to read what another may just be replacing. CONFIRMED is written
// over in place.

func encodeNote(h *head, payload string) []byte {
	line := h.project.Epoch + " " + strconv.FormatUint(h.seq, 10) + " " + payload
	return fmt.Appendf(nil, "%08x %s\n", sum([]byte(line)), line)
}

// readNote is the payload of a note that follows the commit of h, "" if there is none.
func readNote(dir, name string, h *head) string {
	for range noteReads {
		data, err := statedir.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return ""
		}
		if line, ok := checkNote(data); ok {
			return payloadOf(line, h)
		}
	}
	return ""
}

// noteReads is how often a note with a wrong sum is read: it may be written over just then.
const noteReads = 3

// checkNote is a note without its sum; ok if that is right.
func checkNote(data []byte) (line string, ok bool) {
	check, line, ok := strings.Cut(strings.TrimSuffix(string(data), "\n"), " ")
	return line, ok && check == fmt.Sprintf("%08x", sum([]byte(line)))
}

// payloadOf is "" if the note follows another commit than that of h.
func payloadOf(line string, h *head) string {
	payload, ok := strings.CutPrefix(line, h.project.Epoch+" "+strconv.FormatUint(h.seq, 10)+" ")
	if !ok {
		return ""
	}
	return payload
}

// record is the project of h with what its notes add. That an index was rebuilt is news until it is next found right.
func record(dir string, h *head) search.Project {
	p := h.project
	if ns, err := strconv.ParseInt(readNote(dir, confirmedName, h), 10, 64); err == nil && ns > unixNano(p.IndexedAt) {
		p.IndexedAt, p.Rebuilt = fromUnixNano(ns), false
	}
	if reason, err := strconv.Unquote(readNote(dir, failedName, h)); err == nil {
		p.Failed = reason
	}
	if n := readNext(dir, h); n != nil {
		p.Next = unfinished(n)
	}
	return p
}

func writeConfirmed(dir string, h *head, at time.Time, step func(string) error) error {
	return writeInPlace(dir, confirmedName, encodeNote(h, strconv.FormatInt(at.UnixNano(), 10)), step)
}

func writeFailed(dir string, h *head, reason string, step func(string) error) error {
	return replaceFile(dir, failedName, encodeNote(h, strconv.Quote(reason)), step)
}
