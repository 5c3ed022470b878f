package prompt

import (
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
)

// Request asks for a context. The zero value of each field but Task or Query means the default.
type Request struct {
	Project string `json:"project"` // id; "" means that of Root
	Root    string `json:"root"`    // absolute; "" means that of Project
	// who asks; its memory and its live window; "" means AgentKind
	Agent        string        `json:"agent"`
	AgentKind    string        `json:"agent_kind"` // which strategy compiles; "" means "default"
	Profile      ProfileChoice `json:"profile"`    // the zero value means that of the agent's kind
	Frame        string        `json:"frame"`      // "" means what the text says
	Query        string        `json:"query"`      // what to search for; "" means what the task says
	Task         *Task         `json:"task"`
	Conversation []Message     `json:"conversation"` // oldest first: what the agent has in its live window
	// of the whole context, from 1; 0 means that of the frame
	BudgetTokens int    `json:"budget_tokens"`
	Encoding     string `json:"encoding"` // of the tokens; "" means o200k_base
	// relevance from which code stands with its text, and below which none does, 0 to 1; nil means the profile's
	InjectAt *float64 `json:"inject_at"`
	// relevance below which code does not stand at all, 0 to 1; nil means the profile's, and guesses below it
	MinRelevance *float64 `json:"min_relevance"`
	// factor of similarity for each later message of the conversation, above 0 to 1; 0 means 1: none
	DedupFade  float64 `json:"dedup_fade"`
	DeadlineMS int     `json:"deadline_ms"` // for finding; 0 means 200
	// verify: each piece of code is checked against the disk; skip: none stands where anything is stale; "" means
	// verify
	Stale string `json:"stale"`
	// of the root's index: waited for within the deadline; 0 means any
	MinGeneration int64 `json:"min_generation"`
	// of the agent's window so far; from 80 % of InputTokensLimit on the reply advises a flash save
	InputTokensUsed  int `json:"input_tokens_used"`
	InputTokensLimit int `json:"input_tokens_limit"` // of the agent's window; 0 means unknown

	// tokens used from which the reply advises a flash save whatever the limit; 0 means none
	InputTokensFlashAt int `json:"input_tokens_flash_at"`

	Estimate bool   `json:"-"` // for hooks: tokens are estimated, whatever Encoding says
	Held     []Held `json:"-"` // for hooks: what the agent's window holds already
	Dir      string `json:"-"` // for commands: the working directory, where neither project nor root is named
	Home     string `json:"-"` // the user's home directory
}

// Task is the work that the context is for, with what it is searched by.
type Task struct {
	compile.Task
	Mode           string   `json:"mode"` // implement, analysis_only, plan, cheap; "" means none
	Type           string   `json:"type"` // history shows tasks of this type only; "" means all
	Tags           []string `json:"tags"`
	MentionedFiles []string `json:"mentioned_files"` // beside those that its text names
	// false: no history, blockers, memory or code; nil: as the policy says, else true
	RequiresContext *bool          `json:"requires_context"`
	Issue           *compile.Issue `json:"issue"`
	DesignDocument  string         `json:"design_document"`
}

// Message is one message of a conversation or a prompt.
type Message = compile.Message

// Status sums a reply up.
type Status string

// The states of a reply.
const (
	OK       Status = "ok"       // something was found, at full strength
	Empty    Status = "empty"    // nothing was found, or nothing was to be: an answer
	Degraded Status = "degraded" // less than full strength; Reasons says why
)

// Reasons of a degraded reply beside those of package retrieve.
const (
	MemoryUnavailable  = "memory_unavailable"
	HistoryUnavailable = "history_unavailable"
	UsageUnavailable   = "usage_unavailable"
	LearnUnavailable   = "learning_unavailable" // the profile's own numbers held, whatever outcomes say
	RetrievalOff       = "retrieval_off"        // finding code cost too much: it is left out for a while
	ReceiptNotStored   = "receipt_not_stored"   // the reply cannot be explained later, nor take feedback
	DedupByWords       = "dedup_by_words"       // no embedder answered: the conversation was compared word by word
	OverBudget         = "budget"               // something was found, and the budget has no room for any of it
)

// Reply is a compiled context. Every field is always there.
type Reply struct {
	ID            string               `json:"id"` // of the receipt
	Status        Status               `json:"status"`
	Reasons       []string             `json:"reasons"`
	Messages      []Message            `json:"messages"`
	Sections      []Section            `json:"sections"`
	Tokens        int                  `json:"tokens"` // of Messages, never above BudgetTokens
	BudgetTokens  int                  `json:"budget_tokens"`
	PrefixHash    string               `json:"prefix_hash"`
	Fingerprint   *receipt.Fingerprint `json:"fingerprint"`
	Searched      retrieve.Searched    `json:"searched"`       // what code was looked for in
	BestRelevance float64              `json:"best_relevance"` // of code, whether it stands in the context or not
	// the agent's window is 80 % full, or holds the tokens that the request names
	FlashSave bool    `json:"flash_save"`
	TookMS    float64 `json:"took_ms"`

	Pieces []Piece `json:"-"` // the code that stands in Messages, in its order
	// What the event context_assembled says beside Fingerprint and BudgetTokens: who has no listener finds it here.

	TaskID         string `json:"task_id"`
	AgentKind      string `json:"agent_kind"`
	ProfileID      string `json:"profile_id"`
	ItemsSelected  int    `json:"items_selected"`
	ItemsAvailable int    `json:"items_available"`

	Event     Event      `json:"-"` // for whoever passes it on to listeners
	Retrieval *Retrieval `json:"-"` // what the index said; nil where code was not asked for
}

// Retrieval sums up what the index said for a context.
type Retrieval struct {
	Status  string // as of a search
	Reasons []string
	Hit     bool // it held code that is no guess
}

// Section is a named part of a context.
type Section struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Content string `json:"content"`
	Tokens  int    `json:"tokens"`
}

// Event tells that a context was compiled.
type Event struct {
	Project        string               `json:"-"` // for who passes it on
	Agent          string               `json:"-"`
	TaskID         string               `json:"task_id"`
	AgentKind      string               `json:"agent_kind"`
	ProfileID      string               `json:"profile_id"`
	Fingerprint    *receipt.Fingerprint `json:"fingerprint"`
	ItemsSelected  int                  `json:"items_selected"`
	ItemsAvailable int                  `json:"items_available"`
	BudgetTokens   int                  `json:"budget_tokens"`
}

// Feedback tells how a context was used: what the agent answered, and what it then opened, edited or searched for
// itself.
type Feedback struct {
	Response string   `json:"response"`
	Opened   []string `json:"opened"` // paths
	Edited   []string `json:"edited"` // paths
	Searched []string `json:"searched"`
	// ids of pieces that were taken up: a pointer that was opened, lines that an edit repeats
	Followed []string `json:"followed"`
	Done     bool     `json:"done"` // the turn is over: what nothing else is known of is dead weight
}
