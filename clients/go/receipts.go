package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Receipt is the account of one compiled context: what stood in it, what did not, and why.
type Receipt struct {
	ID           string           `json:"id"` // of the context
	At           time.Time        `json:"at"`
	Project      string           `json:"project"`
	Agent        string           `json:"agent"`
	AgentKind    string           `json:"agent_kind"`
	Profile      string           `json:"profile"`
	Mode         string           `json:"mode"`
	Frame        string           `json:"frame"`
	TaskID       string           `json:"task_id"`
	Query        string           `json:"query"` // what was searched for
	Status       string           `json:"status"`
	Reasons      []string         `json:"reasons"`
	Weights      Weights          `json:"weights"` // after the mode's adjustment
	Encoding     string           `json:"encoding"`
	BudgetTokens int              `json:"budget_tokens"`
	Tokens       int              `json:"tokens"`
	InjectAt     float64          `json:"inject_at"`
	MinRelevance float64          `json:"min_relevance"`
	Generation   int64            `json:"generation"` // of the index that answered
	Items        []ReceiptLine    `json:"items"`      // the kept ones in the order of the context, then the dropped ones, the best first
	Omitted      int              `json:"omitted"`    // dropped pieces that have no line
	Sections     []ReceiptSection `json:"sections"`
	Fingerprint  *Fingerprint     `json:"fingerprint"`
	Reranked     bool             `json:"reranked"` // a language model put the code that was found in order
	PrefixHash   string           `json:"prefix_hash"`
	Prompt       *PromptHashes    `json:"prompt"`  // nil in receipts of before it was kept
	Outcome      *Fates           `json:"outcome"` // nil: nothing was heard of it
	Learned      []Learned        `json:"learned"` // numbers of the profile that outcomes of tasks moved
}

// Weights are the shares of the scopes, which add up to 1.
type Weights struct {
	Task    float64 `json:"task"`
	Project float64 `json:"project"`
	Global  float64 `json:"global"`
}

// ReceiptLine is what became of one piece.
type ReceiptLine struct {
	ID           string  `json:"id"`
	Source       string  `json:"source"` // file:src/a.go:10-30, memory:…, history:…
	Kind         string  `json:"kind"`
	Scope        string  `json:"scope"`
	Section      string  `json:"section"`
	Hash         string  `json:"hash"` // of its text; "" for a candidate that a gate kept away
	Relevance    float64 `json:"relevance"`
	Importance   float64 `json:"importance"`
	Boost        float64 `json:"boost"`    // by usage; 1 where nothing is known
	Score        float64 `json:"score"`    // what it was ordered by
	Decision     string  `json:"decision"` // text, compressed, pointer or dropped
	Reason       string  `json:"reason"`   // "" for a text kept whole
	Tokens       int     `json:"tokens"`
	NeededBudget int     `json:"needed_budget"` // one that would have kept more of it; 0 where the budget was not the reason
	Verify       bool    `json:"verify"`        // what it cites has changed since it was written
	FormHash     string  `json:"form_hash"`     // of the piece as it stands in the prompt; "" where it was dropped
	StartLine    int     `json:"start_line"`    // of code: the lines of its text, which Source may name more of
	EndLine      int     `json:"end_line"`
	Language     string  `json:"language"` // of code
}

// PromptHashes are what a prompt is known by when it is compiled again.
type PromptHashes struct {
	Hash           string  `json:"hash"` // SHA-256 of its messages
	SystemHash     string  `json:"system_hash"`
	QuestionHash   string  `json:"question_hash"`  // of the question that ends it; "" without one
	Aggressiveness float64 `json:"aggressiveness"` // by which pieces were shortened
}

// ReceiptSection is one section of a context, without its text.
type ReceiptSection struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Tokens int    `json:"tokens"`
	Hash   string `json:"hash"`
}

// Receipts lists the receipts of a project's contexts, the newest first, without what became of their pieces; n below 1 means 20.
func (c *Client) Receipts(ctx context.Context, projectID string, n int) ([]Receipt, error) {
	q := url.Values{"project": {projectID}}
	if n > 0 {
		q.Set("limit", strconv.Itoa(n))
	}
	var reply struct {
		Receipts []Receipt `json:"receipts"`
	}
	err := c.Call(ctx, http.MethodGet, "/v1/receipts", q, nil, &reply)
	return reply.Receipts, err
}

// Receipt explains the context with an id, piece by piece. One that is not kept is a problem "not-found".
func (c *Client) Receipt(ctx context.Context, id string) (*Receipt, error) {
	var r Receipt
	return &r, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(id), nil, nil, &r)
}

// Prompt is the prompt of a context, compiled again.
type Prompt struct {
	ID       string       `json:"id"`
	Exact    bool         `json:"exact"` // Messages have the hash of those that were sent
	Messages []Message    `json:"messages"`
	Parts    []PromptPart `json:"parts"`  // what lies between them is the frame
	Tokens   int          `json:"tokens"` // of the messages that were sent
}

// PromptPart is a part of a prompt with where it is from and why it stands there.
type PromptPart struct {
	Message   int     `json:"message"` // index
	Start     int     `json:"start"`   // bytes [Start, End) of its content
	End       int     `json:"end"`
	Section   string  `json:"section"` // "" for the system prompt
	Item      string  `json:"item"`    // id of the receipt's item; "" for a part that is none
	Source    string  `json:"source"`
	Kind      string  `json:"kind"`
	Grade     string  `json:"grade"` // of code: strong, likely or possible
	Relevance float64 `json:"relevance"`
	Decision  string  `json:"decision"`
	Reason    string  `json:"reason"`
	Tokens    int     `json:"tokens"`
	State     string  `json:"state"` // same, changed, gone or not_kept
}

// Prompt compiles the prompt of a context again: code is as it is on disk now, memory and history are as they are in the store, and what is
// not as it was stands as a line in brackets.
func (c *Client) Prompt(ctx context.Context, id string) (*Prompt, error) {
	var p Prompt
	return &p, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(id)+"/prompt", nil, nil, &p)
}

// Changes is what differs between two contexts, from the first to the second.
type Changes struct {
	From          string          `json:"from"`
	To            string          `json:"to"`
	Same          bool            `json:"same"`   // nothing that an agent sees changed
	Causes        []string        `json:"causes"` // code, memory, history, task, policy, budget, dedup, ranking, usage, fault
	Settings      []SettingChange `json:"settings"`
	Items         []ItemChange    `json:"items"`
	Sections      []SectionChange `json:"sections"`
	Tokens        int             `json:"tokens"` // how many more the second has
	PrefixChanged bool            `json:"prefix_changed"`
}

// SettingChange is a value of the whole context that differs.
type SettingChange struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
	Cause string `json:"cause"`
}

// ItemChange is a piece that was decided on otherwise, or whose text or place differs.
type ItemChange struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	From   string `json:"from"` // a decision; "" where it was not even considered
	To     string `json:"to"`
	Cause  string `json:"cause"`
	Why    string `json:"why"`
}

// SectionChange is a section that differs.
type SectionChange struct {
	Name string `json:"name"`
	From int    `json:"from_tokens"` // 0 where it was not there
	To   int    `json:"to_tokens"`
}

// DiffReceipts tells what changed from one context to another, and why.
func (c *Client) DiffReceipts(ctx context.Context, from, to string) (*Changes, error) {
	var d Changes
	return &d, c.Call(ctx, http.MethodGet, "/v1/receipts/"+url.PathEscape(from)+"/diff/"+url.PathEscape(to), nil, nil, &d)
}
