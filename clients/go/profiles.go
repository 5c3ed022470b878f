package client

import (
	"context"
	"net/http"
	"net/url"
)

// Profile says what agents of one kind get to see. As the profile of a request all of its fields count: to change a few, send a map
// of them, with "inherits" where they do not begin with those of "default".
type Profile struct {
	ID             string           `json:"id"`
	Description    string           `json:"description"`
	Tags           []string         `json:"tags"`
	Agents         []string         `json:"agents"`
	Weights        ProfileWeights   `json:"weights"`
	Preferred      []string         `json:"preferred_kinds"`
	Excluded       []string         `json:"excluded_kinds"`
	OnlyPreferred  bool             `json:"only_preferred"`
	MinImportance  float64          `json:"min_importance"`
	Compress       bool             `json:"allow_compression"`
	Aggressiveness float64          `json:"compression_aggressiveness"`
	Head           int              `json:"preserve_head"`
	Tail           int              `json:"preserve_tail"`
	Code           ProfileCode      `json:"code"`
	InjectAt       float64          `json:"inject_at"`
	MinRelevance   float64          `json:"min_relevance"`
	LikelyText     bool             `json:"likely_text"`
	Learn          bool             `json:"learn"` // outcomes of tasks may move its numbers
	Strategy       string           `json:"strategy"`
	SystemPrompt   string           `json:"system_prompt"`
	Sections       []ProfileSection `json:"sections"`
}

// ProfileWeights say what items of each scope are worth.
type ProfileWeights struct {
	Task    float64 `json:"task"`
	Project float64 `json:"project"`
	Global  float64 `json:"global"`
}

// ProfileCode is the code budget of a profile.
type ProfileCode struct {
	Results int `json:"results"` // pieces
	Chars   int `json:"chars"`   // of the text of one
	Bytes   int `json:"bytes"`   // of all texts
}

// ProfileSection is a section of the prompt that a profile names.
type ProfileSection struct {
	Name   string `json:"name"`
	Source string `json:"source"` // issue, task, memory, code, …
}

// Profiles lists the profiles of agents.
func (c *Client) Profiles(ctx context.Context) ([]Profile, error) {
	var reply struct {
		Profiles []Profile `json:"profiles"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/profiles", nil, nil, &reply)
	return reply.Profiles, err
}

// Profile shows one profile.
func (c *Client) Profile(ctx context.Context, name string) (Profile, error) {
	var p Profile
	err := c.Call(ctx, http.MethodGet, "/v1/profiles/"+url.PathEscape(name), nil, nil, &p)
	return p, err
}
