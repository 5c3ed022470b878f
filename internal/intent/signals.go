package intent

import (
	"fmt"
	"slices"
	"strings"
)

// Frame is the kind of turn a text opens.
type Frame string

// The frames.
const (
	Conversation Frame = "conversation"
	Question     Frame = "question"
	Task         Frame = "task"
	Decision     Frame = "decision"
	Creative     Frame = "creative"
	Debug        Frame = "debug"
)

// Frames are all frames, those first that win between equal weights.
var Frames = []Frame{Debug, Decision, Creative, Task, Question, Conversation}

// ParseFrame is the frame of a name. An unknown one is an error that lists those known.
func ParseFrame(name string) (Frame, error) {
	if f := Frame(name); slices.Contains(Frames, f) {
		return f, nil
	}
	known := make([]string, len(Frames))
	for i, f := range Frames {
		known[i] = string(f)
	}
	return "", fmt.Errorf("frame %q is unknown: want one of %s", name, strings.Join(known, ", "))
}

// Memory is a type of memory that a plan can ask.
type Memory string

// The types of memory.
const (
	Decisions  Memory = "decision"  // what was chosen, and why
	Facts      Memory = "fact"      // what is so
	Procedures Memory = "procedure" // how something is done
	Episodes   Memory = "episode"   // what happened
)

// Memories are all types of memory, in the order of a plan's queries.
var Memories = []Memory{Decisions, Facts, Procedures, Episodes}

// EntityKind says what an entity is.
type EntityKind string

// The kinds of entities.
const (
	Identifier EntityKind = "identifier" // of code, or a ticket: parseURL, os.Open, ABC-12
	File       EntityKind = "path"       // a file, see [Paths]
	Date       EntityKind = "date"       // a day, a month or a time of one as people and logs write it
	Name       EntityKind = "name"       // a word that is written large inside of a sentence
)

// Entity is something that a text names.
type Entity struct {
	Kind EntityKind `json:"kind"`
	Text string     `json:"text"`
}

// Limits of what is read and given back.
const (
	MaxText     = 8 << 10 // bytes of a text that are read: three quarters from its beginning, the rest from its end
	MaxTopics   = 10
	MaxEntities = 32
	MaxQuery    = 512 // bytes of Signals.Text
)

// Signals is what a text says about itself.
type Signals struct {
	Frame    Frame `json:"frame"`
	Question bool  `json:"question"` // it asks, whatever its frame
	// it greets or thanks and nothing else: nothing is to be retrieved
	Greeting bool `json:"greeting"`
	// 1.0 now, .8 days, .5 a week, .3 a month and more, 0 no time named
	Recency  float64            `json:"recency"`
	Hints    map[Memory]float64 `json:"hints,omitempty"` // .5 for each phrase that calls for a type of memory
	Entities []Entity           `json:"entities,omitempty"`
	Topics   []string           `json:"topics,omitempty"` // telling words in lower case, the most frequent first
	// what to search for: the prose, and entities that stand in code or traces only
	Text string `json:"text"`
}

// Dominant is the type of memory with the highest hint; "" if there is none, or more than one.
func (s Signals) Dominant() Memory {
	var best Memory
	high := 0.0
	for _, m := range Memories {
		switch h := s.Hints[m]; {
		case h > high:
			best, high = m, h
		case h == high:
			best = ""
		}
	}
	return best
}

// Classify reads the signals of a text. Bytes that are no UTF-8 separate words.
func Classify(text string) Signals {
	d := loaded()
	r := &reader{data: d, text: cutMiddle(text)}
	r.read()
	s := Signals{Frame: Conversation, Question: r.asks, Entities: r.entities, Topics: r.topics(), Text: r.query()}
	if r.traces == 0 && r.code == 0 && len(r.paths) == 0 && r.greets() {
		s.Greeting, s.Question, s.Entities, s.Topics = true, false, nil, nil
		return s
	}
	applyMatches(&s, r, d.match(r.words))
	return s
}

// structuralWeight is the weight of phrases that say how a sentence is built and not what it wants.
const structuralWeight = 1

// applyMatches turns the phrases found into frame, recency and hints.
func applyMatches(s *Signals, r *reader, found []match) {
	var top, more [6]float64
	add := func(frame int, weight float64) {
		if top[frame] > structuralWeight && weight > structuralWeight {
			more[frame] += .5
		}
		top[frame] = max(top[frame], weight)
	}
	if r.traces > 0 {
		add(slices.Index(Frames, Debug), 5)
	}
	for _, e := range r.entities {
		if e.Kind == Identifier && (strings.HasSuffix(e.Text, "Error") || strings.HasSuffix(e.Text, "Exception")) {
			add(slices.Index(Frames, Debug), 2)
		}
	}
	seen := map[*phrase]bool{}
	for _, m := range found {
		s.Question = s.Question || m.phrase.ask
		for _, memory := range m.phrase.hints {
			if !m.covered && !seen[m.phrase] {
				if s.Hints == nil {
					s.Hints = map[Memory]float64{}
				}
				s.Hints[memory] += .5
			}
		}
		if !m.negated {
			s.Recency = max(s.Recency, m.phrase.recency)
			if m.phrase.weight > 0 && !m.inside && !seen[m.phrase] {
				add(m.phrase.frame, m.phrase.weight)
			}
		}
		seen[m.phrase] = true
	}
	best := 0.0
	for i, f := range Frames {
		if w := top[i] + more[i]; w > best {
			s.Frame, best = f, w
		}
	}
	if best <= structuralWeight && s.Question {
		s.Frame = Question
	}
}

// cutMiddle leaves out the middle of a text that is too long, at line ends where there are some.
func cutMiddle(text string) string {
	if len(text) <= MaxText {
		return text
	}
	head, tail := text[:MaxText*3/4], text[len(text)-MaxText/4:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	return head + "\n" + tail
}
