package memory

import "strings"

// maxStated is the size of a text, in bytes, up to which it is compared with others by what it states; a longer one is
// the same only where its id is.
const maxStated = 2000

// states reports whether items of a kind state what is so: what one of them says another may say as well.
func (k Kind) states() bool { return k == "fact" || k == "decision" }

// stated is by what an item that says the same is found, within one shelf: project, kind (facts and decisions are one)
// and text, whatever its case, white space, and the marks that only end or quote words. Marks within or before words
// count, and question marks: "-1", "!on", "1.5" and "on?" say something else than "1", "on", "15" and "on". "" where
// only the same id is the same.
func (it *Item) stated() string {
	if t := traits[it.Kind]; len(it.Content) > maxStated || t == nil || t.Exact || it.Kind.spoken() {
		return ""
	}
	kind := it.Kind
	if kind.states() {
		kind = "decision"
	}
	words := strings.Fields(strings.ToLower(it.Content))
	for i, w := range words {
		words[i] = strings.TrimLeft(strings.TrimRight(w, `.,;:!…"'“”’»)`), `"'“‘«(`)
	}
	text := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	if text == "" {
		return ""
	}
	return it.Project + "\x00" + string(kind) + "\x00" + text
}

// statements are items of a shelf by what they state, the first that was written of each.
type statements map[string]*Item

func (s statements) add(key string, it *Item) {
	if old := s[key]; key != "" && (old == nil || it.CreatedAt.Before(old.CreatedAt)) {
		s[key] = it
	}
}

// statementsOf are those of a snapshot; what an item states is worked out once as long as it is held.
func statementsOf(live *snapshot) statements {
	s := make(statements, len(live.items))
	for _, e := range live.items {
		s.add(e.stated(), &e.Item)
	}
	return s
}

// stated is that of the item, worked out once.
func (e *entry) stated() string {
	e.text.statedOnce.Do(func() { e.text.stated = e.Item.stated() })
	return e.text.stated
}

// say is an item of the kind that it has once it is said again. A decision makes a decision of what was a fact.
func say(old, again Item) Item {
	if old.Kind.states() && again.Kind == "decision" {
		old.Kind = again.Kind
	}
	return old
}
