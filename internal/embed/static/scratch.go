package static

// cacheSlots bounds the memory for identifiers seen before: 192 KB, which stays near the processor.
const cacheSlots = 1 << 13

// cached is the rows of an identifier of at most 16 bytes. The zero value matches none, for none holds a zero byte.
type cached struct {
	lo, hi uint64    // the identifier
	rows   [4]uint16 // row+1, in order; zeros after them
}

// scratch counts the words of one text at a time. Between two texts all counts are zero.
type scratch struct {
	index
	table table
	count []uint32 // by row
	terms []term   // rows whose count is not zero, in order of first occurrence
	cache []cached // direct-mapped: a newer identifier takes an older one's place
}

func newScratch(ix index, t table) *scratch {
	return &scratch{index: ix, table: t, count: make([]uint32, t.rows), cache: make([]cached, cacheSlots)}
}

func (s *scratch) add(row int, n uint32) {
	if s.count[row] == 0 {
		s.terms = append(s.terms, term{row: uint32(row)})
	}
	s.count[row] += n
}

// text counts the words of a text once each. Code repeats its identifiers, so those are split once and remembered.
func (s *scratch) text(text string) {
	cache := (*[cacheSlots]cached)(s.cache)
	for start, end := identifier(text, 0); start < end; start, end = identifier(text, end) {
		n := end - start
		if n == 1 {
			continue // a letter or '_'
		}
		if n > 16 {
			for a, b := part(text, start, end); a < b; a, b = part(text, b, end) {
				if row := s.word(text, a, b); row >= 0 {
					s.add(row, 1)
				}
			}
			continue
		}
		lo, hi := load(text, start, n)
		slot := &cache[hash(lo, hi)%cacheSlots]
		if slot.lo != lo || slot.hi != hi {
			if !s.split(text, start, end, slot) {
				continue
			}
			slot.lo, slot.hi = lo, hi
		}
		for _, r := range slot.rows {
			if r == 0 {
				break
			}
			s.add(int(r)-1, 1)
		}
	}
}

// split fills the slot with the rows of an identifier. If they do not fit it counts them and leaves the slot empty.
func (s *scratch) split(text string, start, end int, slot *cached) bool {
	*slot = cached{}
	n := 0
	for a, b := part(text, start, end); a < b; a, b = part(text, b, end) {
		row := s.word(text, a, b)
		if row < 0 {
			continue
		}
		if n < len(slot.rows) {
			slot.rows[n] = uint16(row + 1)
		} else {
			s.add(row, 1)
		}
		n++
	}
	if n <= len(slot.rows) {
		return true
	}
	for _, r := range slot.rows {
		s.add(int(r)-1, 1)
	}
	*slot = cached{}
	return false
}

// word is the row of a part; -1 for one that does not count or is unknown.
func (s *scratch) word(text string, start, stop int) int {
	if !counts(text, start, stop) {
		return -1
	}
	return s.lookup(text, start, stop)
}

// path counts the last words of a path, its extension left out.
func (s *scratch) path(path string) {
	path = withoutExtension(path)
	var last [pathWords]int
	n := 0
	for start, end := identifier(path, 0); start < end; start, end = identifier(path, end) {
		for a, b := part(path, start, end); a < b; a, b = part(path, b, end) {
			if counts(path, a, b) {
				last[n%pathWords] = s.lookup(path, a, b)
				n++
			}
		}
	}
	for i := max(0, n-pathWords); i < n; i++ {
		if row := last[i%pathWords]; row >= 0 {
			s.add(row, pathWeight)
		}
	}
}

func withoutExtension(path string) string {
	for i := len(path) - 1; i >= 0 && path[i] != '/'; i-- {
		if path[i] == '.' {
			return path[:i]
		}
	}
	return path
}

// name counts the words of a name that the text defines.
func (s *scratch) name(name string) {
	for start, end := identifier(name, 0); start < end; start, end = identifier(name, end) {
		for a, b := part(name, start, end); a < b; a, b = part(name, b, end) {
			if row := s.word(name, a, b); row >= 0 {
				s.add(row, nameWeight)
			}
		}
	}
}

// flush writes the vector of what was counted and starts again.
func (s *scratch) flush(to *[Dims]float32) {
	for i := range s.terms {
		t := &s.terms[i]
		t.count, s.count[t.row] = s.count[t.row], 0
	}
	sum(s.table, s.terms, to)
	s.terms = s.terms[:0]
}
