package intent

import "strings"

// Least lengths of words for which a typo is forgiven: two letters swapped; one left out or doubled; one wrong. Shorter
// words are too close to one another.
const (
	minSwap  = 5
	minSkip  = 7
	minWrong = 8
)

// learnTypos files each word of the phrases under all that is left when one of its letters is left out.
func (d *data) learnTypos() {
	for id, w := range d.names {
		if len(w) < minSwap || !plain(w) {
			continue
		}
		for i := 1; i < len(w); i++ {
			key := w[:i] + w[i+1:]
			if other, ok := d.typos[key]; ok && other != int32(id) {
				d.typos[key] = -1
				continue
			}
			d.typos[key] = int32(id)
		}
	}
}

// lookup is the number of a word of the phrases, one typo forgiven, or -1. The first letter has to be right.
func (d *data) lookup(w string) int32 {
	if id, ok := d.ids[w]; ok {
		return id
	}
	if len(w) < minSwap || len(w) > 16 || !plain(w) || d.stop[w] {
		return -1
	}
	if id, ok := d.typos[w]; ok && id >= 0 && len(d.names[id]) >= minSkip {
		return id
	}
	var buf [16]byte
	for i := 1; i < len(w); i++ {
		key := append(append(buf[:0], w[:i]...), w[i+1:]...)
		if id, ok := d.ids[string(key)]; ok && len(key) >= minSkip {
			return id
		}
		if id, ok := d.typos[string(key)]; ok && id >= 0 && oneTypoApart(w, d.names[id]) {
			return id
		}
	}
	return -1
}

// oneTypoApart reports whether two words of one length differ by two neighbours swapped or, if they are long, by one
// letter.
func oneTypoApart(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
		return true
	}
	return len(a) >= minWrong && i < len(a) && a[i+1:] == b[i+1:]
}

func plain(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}
