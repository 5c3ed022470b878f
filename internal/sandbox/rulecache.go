package sandbox

import (
	"crypto/sha256"

	"github.com/contextd/contextd/internal/ignore"
)

// tableKey tells apart what makes different tables.
type tableKey struct {
	sum  [sha256.Size]byte
	fold bool
}

// table is the compiled content of an ignore file, made once a walk for each content. ok is false where the walk has no
// memory left for it.
func (s *scan) table(data []byte, fold bool) (t *ignore.Table, ok bool) {
	key := tableKey{sha256.Sum256(data), fold}
	s.tablesMu.Lock()
	defer s.tablesMu.Unlock()
	if t, ok = s.tables[key]; ok {
		return t, true
	}
	if !s.mem.hold(ignore.Bytes(data)) {
		return nil, false
	}
	t = ignore.Compile(data, fold)
	if s.tables == nil {
		s.tables = map[tableKey]*ignore.Table{}
	}
	s.tables[key] = t
	return t, true
}

// ruleset puts an ignore file in force before up. Where its rules cannot be held starved is set: what they would leave
// out is not known then.
func (s *scan) ruleset(starved *bool, data []byte, k ignore.Kind, file string, strip int, fold bool, up *ignore.Set) *ignore.Set {
	t, ok := s.table(data, fold)
	if !ok {
		*starved = true
		return up
	}
	return ignore.New(t, k, file, strip, fold, up)
}
