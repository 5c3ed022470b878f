package local

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/search"
)

// How much each leg nominates.
const (
	textChunks   = 200
	nameChunks   = 50
	vectorChunks = 50
	defaultFiles = 100
)

// Nominate runs three legs over the live chunks that Langs and Globs allow: the best by BM25, those that hold a look-up
// name, the nearest vectors. Files are taken from the three and from the wanted paths in turn, best first. The legs for
// text and names run beside the one for vectors. Named files are taken as they are.
func (s *snapshot) Nominate(ctx context.Context, q search.Query) (*search.Nominees, error) {
	done, err := s.acquire()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search project %q: %w", s.project.ID, err)
	}
	if pathsAlone(q) {
		return s.byPath(q)
	}
	if err := s.st.ready(); err != nil {
		return nil, s.readFault(err)
	}
	n := &search.Nominees{Stats: s.st.stats}
	n.Stats.DF = make([]int, len(q.Words)+len(q.Count))
	counts := n.Stats.DF[len(q.Words):]
	q.Words = q.Words[:min(len(q.Words), search.MaxQueryWords)]
	q.Count = q.Count[:min(len(q.Count), search.MaxQueryWords)]
	q.Names = q.Names[:min(len(q.Names), search.MaxQueryWords)]
	allowed, err := s.st.allowedFiles(q.Langs, q.Globs)
	if err != nil {
		return nil, err
	}
	named, err := s.st.named(q)
	if err != nil {
		return nil, err
	}
	if s.ix.mode == search.Names {
		return s.byName(q, allowed, named, n, counts)
	}
	vector := !search.IsZero(q.Vector)
	n.NoVector = vector && len(q.Vector) != s.project.Model.Dims
	vector = vector && !n.NoVector

	var near []hit
	var nearErr error
	nearDone := make(chan struct{})
	if vector {
		go func() {
			defer close(nearDone)
			near, nearErr = s.st.nearest(ctx, q.Vector, allowed)
		}()
	} else {
		close(nearDone)
	}
	var text, names []hit
	err = recoverFault(func() error {
		text, names = s.st.lexicalLegs(ctx, q, allowed, n)
		s.st.countWords(ctx, q.Count, counts, n)
		return nil
	})
	<-nearDone
	if err != nil {
		return nil, s.readFault(err)
	}
	if nearErr != nil { // what words have found is an answer
		if ctx.Err() == nil {
			return nil, s.readFault(nearErr)
		}
		n.Partial, n.NoVector, vector = true, true, false
	}
	return s.addFiles(n, s.st.interleave(fileLimit(q.Files), text, names, near, s.st.wantedFiles(q.Paths, allowed)), named, q.Vector, vector)
}

// byName is Nominate by names alone.
func (s *snapshot) byName(q search.Query, allowed []bool, named []int32, n *search.Nominees, counts []int) (*search.Nominees, error) {
	n.NoVector = !search.IsZero(q.Vector)
	var rows []int32
	err := recoverFault(func() error {
		rows = s.st.byTitle(q, allowed, n.Stats.DF, fileLimit(q.Files))
		s.st.byTitle(search.Query{Words: q.Count}, nil, counts, 0)
		return nil
	})
	if err != nil {
		return nil, s.readFault(err)
	}
	return s.addFiles(n, rows, named, nil, false)
}

// addFiles adds the files of rows, and the named ones, to n.
func (s *snapshot) addFiles(n *search.Nominees, rows, named []int32, query []float32, vector bool) (*search.Nominees, error) {
	err := recoverFault(func() error {
		n.Files = s.st.candidates(rows, query, vector)
		n.Named = s.st.candidates(named, query, vector)
		return nil
	})
	if err != nil {
		return nil, s.readFault(err)
	}
	return n, nil
}

// readFault returns the error of a Nominate that could not read its files. It invalidates the cached state, so that the
// next Open reads and checks them again.
func (s *snapshot) readFault(err error) error {
	s.ix.cache.invalidate(s.st)
	return fmt.Errorf("search project %q: %w", s.project.ID, err)
}

func fileLimit(files int) int {
	if files <= 0 {
		return defaultFiles
	}
	return files
}
