package sandbox

import (
	"fmt"
	"sync/atomic"
)

// Bounds of what a walk holds at once, in bytes.
const (
	maxTreePath  = 32 << 10 // of a path relative to the root: the longest that any system takes
	entryBytes   = 256      // of a listed entry beside its path: its File or Skipped, twice while a Tree is made
	folderBytes  = 512      // of a folder beside its entry: its node and its rules
	listingShare = 4        // one listing may take this part of the budget
)

// budget is the memory that one walk may hold, in bytes, for paths, rules and git indexes alike.
type budget struct {
	limit int64
	used  atomic.Int64
	over  atomic.Bool // something was refused
	full  atomic.Bool // a folder was refused: those that lie deeper are too
}

// hold takes n bytes, or refuses and notes that.
func (b *budget) hold(n int) bool {
	if b.limit == 0 { // a scan that walks nothing
		return true
	}
	if b.used.Add(int64(n)) > b.limit {
		b.used.Add(int64(-n))
		b.over.Store(true)
		return false
	}
	return true
}

// detail says what is over.
func (b *budget) detail() string {
	return fmt.Sprintf("a walk holds at most %d bytes (max-walk-bytes)", b.limit)
}

// holdListing takes what the entries of a listed folder cost; false where the walk cannot hold them.
func (s *scan) holdListing(l *listing) bool {
	if l.cut {
		s.mem.over.Store(true)
		return false // one folder too large says nothing about the others
	}
	n := 0
	for i := range l.entries {
		n += len(l.entries[i].full) + entryBytes
		if l.entries[i].form == formDir {
			n += 2*len(l.entries[i].full) + folderBytes
		}
	}
	if !s.mem.hold(n) {
		s.mem.full.Store(true)
		return false
	}
	return true
}

// listingLimit is the size of the largest listing that is held, in bytes.
func (r *Root) listingLimit() int { return int(r.opts.MaxWalkBytes / listingShare) }
