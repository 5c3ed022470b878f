package intent

import (
	"fmt"
	"strings"
)

// number is the number of a word, a new one if it has none yet.
func (d *data) number(w string) int32 {
	id, ok := d.ids[w]
	if !ok {
		id = int32(len(d.names))
		d.ids[w], d.names = id, append(d.names, w)
	}
	return id
}

// expand puts the alternatives of classes in place of their names.
func expand(w string, aliases map[string]string) (string, error) {
	if body, optional := strings.CutSuffix(w, "?"); strings.Contains(w, "@") {
		alts := strings.Split(body, "|")
		for i, alt := range alts {
			if value, ok := aliases[alt]; ok {
				alts[i] = value
			}
		}
		w = strings.Join(alts, "|")
		if optional {
			w += "?"
		}
	}
	if strings.ContainsAny(w, "@^'") || strings.ToLower(w) != w {
		return "", fmt.Errorf("word %q of a phrase is unknown or not in lower case", w)
	}
	return w, nil
}

// numberAlternatives numbers the alternatives of a word.
func (d *data) numberAlternatives(body string) {
	if _, ok := d.groups[body]; ok || body == "_" || body == "*" {
		return
	}
	var ids []int32
	for alt := range strings.SplitSeq(body, "|") {
		ids = append(ids, d.number(alt))
	}
	d.groups[body] = ids
}

// build makes the elements of a phrase and files it under each word that it may begin with. Equal words share a set.
func (d *data) build(p *phrase, words []string, index [][]*phrase, sets map[string][]uint64) error {
	begins := true
	for _, w := range words {
		body, optional := strings.CutSuffix(w, "?")
		e := elem{optional: optional, gap: body == "*"}
		if body != "_" && !e.gap {
			if e.set = sets[body]; e.set == nil {
				e.set = make([]uint64, len(d.names)/64+1)
				for _, id := range d.groups[body] {
					e.set[id>>6] |= 1 << (id & 63)
				}
				sets[body] = e.set
			}
		}
		p.elems = append(p.elems, e)
		switch {
		case !begins:
		case e.set != nil:
			for _, id := range d.groups[body] {
				index[id] = append(index[id], p)
			}
		case p.start && !optional && !e.gap:
			d.anyStart = append(d.anyStart, p)
		default:
			return fmt.Errorf("phrase %q begins with any word", p.line)
		}
		begins = begins && optional
	}
	if begins {
		return fmt.Errorf("phrase %q may be empty", p.line)
	}
	return nil
}
