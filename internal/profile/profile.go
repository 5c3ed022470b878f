package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Weights say what items of each scope are worth.
type Weights struct {
	Task    float64 `json:"task"`
	Project float64 `json:"project"`
	Global  float64 `json:"global"`
}

// Of is the weight of a scope; 0 for one that is unknown.
func (w Weights) Of(s Scope) float64 {
	switch s {
	case Task:
		return w.Task
	case Project:
		return w.Project
	case Global:
		return w.Global
	}
	return 0
}

// Normalized are the weights brought to a sum of 1.
func (w Weights) Normalized() Weights {
	sum := w.Task + w.Project + w.Global
	if !(sum > 0) {
		return Weights{}
	}
	return Weights{w.Task / sum, w.Project / sum, w.Global / sum}
}

// Caps bound the code of one context: the code budget.
type Caps struct {
	Results int `json:"results"` // pieces, as text or as a pointer
	Chars   int `json:"chars"`   // characters of one piece's text
	Bytes   int `json:"bytes"`   // bytes of all texts together
}

// Profile is what agents of one kind prefer. The package comment has the meaning and range of each field; in JSON they
// have the names of the file.
type Profile struct {
	ID             string    `json:"id"`
	Description    string    `json:"description"`
	Tags           []string  `json:"tags"`
	Agents         []string  `json:"agents"`
	Weights        Weights   `json:"weights"`
	Preferred      []string  `json:"preferred_kinds"`
	Excluded       []string  `json:"excluded_kinds"`
	OnlyPreferred  bool      `json:"only_preferred"`
	MinImportance  float64   `json:"min_importance"`
	Compress       bool      `json:"allow_compression"`
	Aggressiveness float64   `json:"compression_aggressiveness"` // 0 without Compress
	Head           int       `json:"preserve_head"`
	Tail           int       `json:"preserve_tail"`
	Code           Caps      `json:"code"`
	InjectAt       float64   `json:"inject_at"`
	MinRelevance   float64   `json:"min_relevance"`
	LikelyText     bool      `json:"likely_text"`
	Learn          bool      `json:"learn"` // outcomes of tasks may move its numbers
	Strategy       string    `json:"strategy"`
	SystemPrompt   string    `json:"system_prompt"`
	Sections       []Section `json:"sections"`
}

// Set is a set of profiles, checked. It is not changed after [Load]; callers may share it.
type Set struct {
	profiles map[string]Profile
	agents   map[string]string // kind of agent → id
}

// UnknownError says that there is no such profile or kind of agent.
type UnknownError struct {
	What  string   // "profile" or "agent kind"
	Name  string   //
	Known []string // in order
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s %q is unknown: want one of %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// Get is the profile of an id. The error is an [*UnknownError].
func (s *Set) Get(id string) (Profile, error) {
	if p, ok := s.profiles[id]; ok {
		return p.clone(), nil
	}
	return Profile{}, &UnknownError{"profile", id, s.IDs()}
}

// ForAgent is the profile of a kind of agent; kinds are compared in lower case. The error is an [*UnknownError].
func (s *Set) ForAgent(kind string) (Profile, error) {
	if id, ok := s.agents[strings.ToLower(kind)]; ok {
		return s.Get(id)
	}
	return Profile{}, &UnknownError{"agent kind", kind, s.Agents()}
}

// IDs are the ids of all profiles, in order.
func (s *Set) IDs() []string { return slices.Sorted(maps.Keys(s.profiles)) }

// All are all profiles by id, as they are written in JSON.
func (s *Set) All() []Profile {
	all := make([]Profile, 0, len(s.profiles))
	for _, id := range s.IDs() {
		all = append(all, s.profiles[id].WithEmptyLists())
	}
	return all
}

// Agents are the kinds of agents that have a profile, in order.
func (s *Set) Agents() []string { return slices.Sorted(maps.Keys(s.agents)) }

func (p Profile) clone() Profile {
	p.Tags, p.Agents, p.Preferred, p.Excluded = slices.Clone(p.Tags), slices.Clone(p.Agents), slices.Clone(p.Preferred),
		slices.Clone(p.Excluded)
	p.Sections = slices.Clone(p.Sections)
	return p
}
