package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readQuestion are the words of a question, and who of those who speak is named in it.
func (o *timeline) readQuestion(question string) (terms []term, named map[string]bool) {
	speakers, agents := o.speakersAndAgents()
	named = map[string]bool{}
	lower := strings.ToLower(question)
	for a := range agents {
		if holdsName(lower, strings.ToLower(a)) {
			named[a] = true
		}
	}
	seen := map[uint32]bool{}
	eachWord(question, func(stem, ident string) {
		h := hash(stem)
		if seen[h] || len(terms) == maxWords {
			return
		}
		seen[h] = true
		t := term{hash: h, stop: stopStems()[stem]}
		for _, s := range namedSpeakers(ident, speakers) {
			named[s], t.name = true, true
		}
		terms = append(terms, t)
	})
	return terms, named
}

// speakersAndAgents are all that speak, by the words of their names in lower case, and all that write.
func (o *timeline) speakersAndAgents() (speakers map[string][]string, agents map[string]bool) {
	speakers, agents = map[string][]string{}, map[string]bool{}
	known, agent := map[string]bool{}, ""
	for i := range o.items {
		it := &o.items[i]
		if it.speaker != "" && !known[it.speaker] {
			known[it.speaker] = true
			for w := range strings.FieldsSeq(it.speaker) {
				speakers[w] = append(speakers[w], it.speaker)
			}
		}
		if it.Agent != agent && it.Agent != "" {
			agent = it.Agent
			agents[agent] = true
		}
	}
	return speakers, agents
}

// maxAbbreviatedSpeakers is the number of speakers up to which a name may be cut short.
const maxAbbreviatedSpeakers = 64

// namedSpeakers are the speakers whose name, or the beginning of it, is a word of a question.
func namedSpeakers(ident string, speakers map[string][]string) (found []string) {
	w := strings.ToLower(ident)
	if found = speakers[w]; found != nil || len(w) < 3 || len(speakers) > maxAbbreviatedSpeakers {
		return found
	}
	if r, _ := utf8.DecodeRuneInString(ident); !unicode.IsUpper(r) {
		return nil
	}
	for name, of := range speakers {
		if strings.HasPrefix(name, w) {
			found = append(found, of...)
		}
	}
	return found
}

// holdsName reports whether a text holds a name with no letter or digit beside it.
func holdsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = start + 1
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
