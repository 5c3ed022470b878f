package receipt

import (
	"encoding/json"
	"time"

	"github.com/contextd/contextd/internal/profile"
)

// Decision says what became of a piece.
type Decision string

// The decisions, from the most of a piece to nothing of it.
const (
	Full       Decision = "text"       // its text, whole
	Compressed Decision = "compressed" // the part of its text that says most
	Pointer    Decision = "pointer"    // one line that tells where it is
	Dropped    Decision = "dropped"    // nothing
)

// Receipt is the account of one compiled context.
type Receipt struct {
	ID           string    `json:"id"` // "ctx_…"
	At           time.Time `json:"at"`
	Project      string    `json:"project"`
	Agent        string    `json:"agent"`
	AgentKind    string    `json:"agent_kind"`
	Profile      string    `json:"profile"`
	Mode         string    `json:"mode"`
	Frame        string    `json:"frame"`
	TaskID       string    `json:"task_id"`
	Query        string    `json:"query"` // what was searched for
	Status       string    `json:"status"`
	Reasons      []string  `json:"reasons"` // why the status is degraded
	Weights      Weights   `json:"weights"` // after the mode's adjustment
	Encoding     string    `json:"encoding"`
	BudgetTokens int       `json:"budget_tokens"`
	Tokens       int       `json:"tokens"`
	InjectAt     float64   `json:"inject_at"`
	MinRelevance float64   `json:"min_relevance"`
	Generation   int64     `json:"generation"`         // of the index that answered
	Reranked     bool      `json:"reranked,omitempty"` // the second stage put the code that was found in order
	// the kept ones in the order of the context, then the dropped ones, best first
	Items       []Line       `json:"items"`
	Sections    []Section    `json:"sections"`
	Fingerprint *Fingerprint `json:"fingerprint"`
	PrefixHash  string       `json:"prefix_hash"`
	Prompt      *Prompt      `json:"prompt,omitempty"`  // nil in receipts of before it was kept
	Omitted     int          `json:"omitted"`           // further pieces that were dropped and are not among Items
	Outcome     *Outcome     `json:"outcome,omitempty"` // nil: nothing was heard of it
	Learned     []Learned    `json:"learned,omitempty"` // numbers of the profile that outcomes of tasks moved
	// Fitting is what the budget was divided by, as it is stored: NeededBudget follows from it when a receipt is read.
	Fitting json.RawMessage `json:"fitting,omitempty"`
}

// Prompt holds what a prompt is known by when it is compiled again: hashes, no text.
type Prompt struct {
	Hash           string  `json:"hash"`                     // SHA-256 of all messages
	SystemHash     string  `json:"system_hash"`              // of the system prompt, first 16 hex digits
	QuestionHash   string  `json:"question_hash,omitempty"`  // of the question that ends it, likewise; "" without one
	Aggressiveness float64 `json:"aggressiveness,omitempty"` // by which pieces were shortened
}

// Weights are the shares of the scopes, which add up to 1.
type Weights struct {
	Task    float64 `json:"task"`
	Project float64 `json:"project"`
	Global  float64 `json:"global"`
}

// Line is what became of one piece.
type Line struct {
	ID      string        `json:"id"`
	Source  string        `json:"source"`
	Kind    string        `json:"kind"`
	Scope   profile.Scope `json:"scope"`
	Section string        `json:"section"`
	// of its text, first 16 hex digits: another text under the same id is a change
	Hash string `json:"hash"`
	// 0 to 1; older receipts have 0 for candidates that a gate kept away, which have no Hash
	Relevance  float64  `json:"relevance"`
	Importance float64  `json:"importance"`
	Boost      float64  `json:"boost"` // by usage; 1 when nothing is known
	Score      float64  `json:"score"` // what it was ordered by
	Decision   Decision `json:"decision"`
	Reason     string   `json:"reason"`               // "" for a memory kept whole
	Tokens     int      `json:"tokens"`               // what it took
	FormHash   string   `json:"form_hash,omitempty"`  // of the piece as it stands in the prompt, first 16 hex digits
	StartLine  int      `json:"start_line,omitempty"` // of code: the lines of its text, which Source may name more of
	EndLine    int      `json:"end_line,omitempty"`
	Language   string   `json:"language,omitempty"` // of code
	// NeededBudget is a budget that would have kept more of it; 0 where the budget was not the reason.
	NeededBudget int  `json:"needed_budget,omitempty"`
	Verify       bool `json:"verify,omitempty"` // what it cites has changed since it was written
}

// Section is one section of the context, without its text.
type Section struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Tokens int    `json:"tokens"`
	Hash   string `json:"hash"` // of its content, first 16 hex digits
}

// Learned is a number of a profile that was moved by how tasks ended.
type Learned struct {
	Number   string  `json:"number"`   // as in a file of profiles: "code.bytes"
	From     float64 `json:"from"`     // the profile's own
	To       float64 `json:"to"`       // what holds
	Outcomes int     `json:"outcomes"` // tasks that were learnt from
	// share of those that succeeded whose contexts had much of what the number governs; 0 for a weight that gave way to
	// others
	RateMuch   float64 `json:"rate_much"`
	RateLittle float64 `json:"rate_little"` // of those whose contexts had little of it
}

// Outcome is what became of the pieces of a context.
type Outcome struct {
	Used      []string `json:"used"`      // ids of pieces that the answer took up, or whose file was edited
	Refetched []string `json:"refetched"` // ids of pieces that were opened all the same
	Dead      []string `json:"dead"`      // ids of pieces that nothing used
	Missed    []string `json:"missed"`    // what the agent had to find for itself
	Precision float64  `json:"precision"` // share of the pieces that were used or opened
}
