package blob

// slab hands out slices of one array after another, each zero.
type slab[T any] struct {
	all  []T // the last array
	left []T // of it
}

// maxSlab is the number of elements over which an array is not kept for the next use.
const maxSlab = 1 << 15

// take gives n elements, of a new array of at least size where the last one has not as many left; nil for none.
func (s *slab[T]) take(n, size int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.left) {
		s.all = make([]T, max(n, size, 2*len(s.all)))
		s.left = s.all
	}
	out := s.left[:n:n]
	s.left = s.left[n:]
	return out
}

// reset takes everything back.
func (s *slab[T]) reset() {
	if len(s.all) > maxSlab {
		s.all, s.left = nil, nil
		return
	}
	clear(s.all[:len(s.all)-len(s.left)])
	s.left = s.all
}
