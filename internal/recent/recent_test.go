package recent

import "testing"

func TestWhatIsUsedStaysAndTheRestGoes(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]func(int) int{"each counts 1": nil, "by size": func(v int) int { return 1 }} {
		m := New[int](3, size)
		for i := range 100 {
			m.Put(i, i)
			m.Put(i, -1) // the first stays
			m.Get(0)
		}
		for key, want := range map[int]bool{0: true, 50: false, 99: true} {
			if v, ok := m.Get(key); ok != want || ok && v != key {
				t.Errorf("%s: key %d holds %d, %t; want it held: %t", name, key, v, ok, want)
			}
		}
		if n := m.Len(); n < 3 || n > 6 {
			t.Errorf("%s: %d values are held, want 3 to 6", name, n)
		}
		m.Clear()
		if _, ok := m.Get(0); ok || m.Len() != 0 {
			t.Errorf("%s: something is held after Clear", name)
		}
	}
}
