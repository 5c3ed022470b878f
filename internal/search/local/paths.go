package local

import "github.com/contextd/contextd/internal/search"

// pathsAlone reports whether q asks for named files and nothing else, which needs nothing that prepare computes.
func pathsAlone(q search.Query) bool {
	return len(q.Paths) > 0 && len(q.Words)+len(q.Names)+len(q.Count)+len(q.Langs)+len(q.Globs)+len(q.Named) == 0 && search.IsZero(q.Vector)
}

// byPath is Nominate of files by their paths alone: what a writer asks about the files that it replaces costs no look
// at all others. It counts nothing. What prepare checks of all entries is checked of these.
func (s *snapshot) byPath(q search.Query) (*search.Nominees, error) {
	rows := s.st.interleave(fileLimit(q.Files), s.st.wantedFiles(q.Paths, nil))
	err := recoverFault(func() error {
		for _, row := range rows {
			e, l := &s.st.entries[row], s.st.locs[row]
			at, ok := s.st.index[l.seg]
			if !ok || l.ord >= s.st.segs[at].files {
				return damagedf("the entry of %q points at no file of a segment", e.Path)
			}
			if first, end, _ := s.st.segs[at].file(l.ord); int(end-first) != e.Chunks {
				return damagedf("the entry of %q counts %d chunks, its segment %d", e.Path, e.Chunks, end-first)
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.readFault(err)
	}
	return s.addFiles(&search.Nominees{}, rows, nil, nil, false)
}
