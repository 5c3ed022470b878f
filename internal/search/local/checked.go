package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/statedir"
)

// CHECKED names segments whose sums were found right since the system was started, each with what the system then said
// of its file: a process that finds the same of it need not read all of it again, which of a large project takes a
// second. After a loss of power, from which the sums protect, the system was started anew. What a file's change time
// does not tell, a disk that gives back other bytes than were written, is looked for by Inspect.
//
// The first line is a sum of the rest and the name of the system's start; one line for each segment follows. It is
// written without a lock: one that is lost costs a check. Where the system does not say when it was started, or when a
// file was changed, there is none.

const checkedName = "CHECKED"

// readChecked is what CHECKED says of each segment that it names.
func readChecked(dir string) map[string]string {
	data, err := statedir.ReadFile(filepath.Join(dir, checkedName))
	if err != nil {
		return nil
	}
	line, ok := checkNote(data)
	boot, rest, more := strings.Cut(line, "\n")
	if !ok || !more || boot == "" || boot != owner.Boot() {
		return nil
	}
	checked := map[string]string{}
	for l := range strings.Lines(rest) {
		if name, file, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " "); ok {
			checked[name] = file
		}
	}
	return checked
}

// noteChecked notes segments that were checked, or written by this process. It fails silently: they are checked again.
func (ix *Index) noteChecked(dir string, segs []*segment) {
	boot := owner.Boot()
	if boot == "" {
		return
	}
	var b strings.Builder
	b.WriteString(boot)
	for _, s := range segs {
		if s.stat != "" {
			fmt.Fprintf(&b, "\n%s %s", s.ref.name, s.stat)
		}
	}
	line := b.String()
	if !strings.Contains(line, "\n") {
		return
	}
	note := fmt.Appendf(nil, "%08x %s\n", sum([]byte(line)), line)
	if err := replaceFile(dir, checkedName, note, ix.beforeStep); err != nil {
		ix.log.Debug("check of segments not noted", "error", err)
	}
}

// forgetChecked makes the next process check all sums of a project.
func forgetChecked(dir string) { _ = os.Remove(filepath.Join(dir, checkedName)) }
