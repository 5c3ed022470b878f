package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// turn is what one speaker said.
type turn struct {
	id, session, text string // text: speaker, time and words, as an agent would note them
}

// question is asked about one conversation. Its evidence are ids of turns.
type question struct {
	text     string
	category int
	evidence []string
}

// conversation is two people's over months, in sessions.
type conversation struct {
	id        string
	turns     []turn
	questions []question
}

// record is a conversation as the file has it.
type record struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Question string   `json:"question"`
		Category int      `json:"category"`
		Evidence []string `json:"evidence"`
	} `json:"qa"`
}

// read reads a file in the format of locomo10.json.
func read(path string) ([]conversation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var records []record
	if err := json.Unmarshal(data, &records); err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	var all []conversation
	for _, r := range records {
		c := conversation{id: r.ID}
		if c.turns, err = turns(r.Conversation); err != nil {
			return nil, fmt.Errorf("read conversation %q: %w", r.ID, err)
		}
		known := map[string]bool{}
		for _, t := range c.turns {
			known[t.id] = true
		}
		for _, q := range r.Questions {
			if of := evidence(q.Evidence, known); len(of) > 0 {
				c.questions = append(c.questions, question{q.Question, q.Category, of})
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// turns are those of all sessions, in the order of time.
func turns(parts map[string]json.RawMessage) (all []turn, err error) {
	var numbers []int
	for name := range parts {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "session_")); err == nil {
			numbers = append(numbers, n)
		}
	}
	sort.Ints(numbers)
	for _, n := range numbers {
		name := "session_" + strconv.Itoa(n)
		var said []struct {
			Speaker string `json:"speaker"`
			ID      string `json:"dia_id"`
			Text    string `json:"text"`
		}
		if err := json.Unmarshal(parts[name], &said); err != nil {
			return nil, err
		}
		var when string
		if err := json.Unmarshal(parts[name+"_date_time"], &when); err != nil {
			continue // a date without a session
		}
		for _, s := range said {
			all = append(all, turn{s.ID, name, fmt.Sprintf("%s (%s): %s", s.Speaker, when, s.Text)})
		}
	}
	return all, nil
}

// turnID finds ids of turns in what the file names as evidence, which is not always one clean id.
var turnID = regexp.MustCompile(`D:?(\d+):(\d+)`)

// evidence are the turns of a conversation that are named, each once.
func evidence(named []string, known map[string]bool) (ids []string) {
	seen := map[string]bool{}
	for _, m := range turnID.FindAllStringSubmatch(strings.Join(named, " "), -1) {
		s, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		if id := fmt.Sprintf("D%d:%d", s, n); known[id] && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}
