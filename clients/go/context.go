package client

import (
	"context"
	"net/http"
)

// ContextRequest asks for the context of one call of an agent. A Work, a Query or a Conversation has to be there, and a Project or
// a Root; all else may be left at its zero value.
type ContextRequest struct {
	Project            string    `json:"project,omitempty"`
	Root               string    `json:"root,omitempty"`       // absolute
	Agent              string    `json:"agent,omitempty"`      // whose memory and live window; "" means AgentKind
	AgentKind          string    `json:"agent_kind,omitempty"` // knight, squire, royalty, peasant, architect, developer, reviewer, …
	Profile            any       `json:"profile,omitempty"`    // the id of one, or a whole one of the request's own: a Profile, or a map of what differs
	Frame              string    `json:"frame,omitempty"`
	Query              string    `json:"query,omitempty"`
	Task               *Work     `json:"task,omitempty"`
	Conversation       []Message `json:"conversation,omitempty"` // oldest first
	BudgetTokens       int       `json:"budget_tokens,omitempty"`
	Encoding           string    `json:"encoding,omitempty"`
	InjectAt           *float64  `json:"inject_at,omitempty"`
	MinRelevance       *float64  `json:"min_relevance,omitempty"`
	DeadlineMS         int       `json:"deadline_ms,omitempty"` // 0 means 200
	Stale              string    `json:"stale,omitempty"`       // verify or skip; "" means verify
	InputTokensUsed    int       `json:"input_tokens_used,omitempty"`
	DedupFade          float64   `json:"dedup_fade,omitempty"`            // factor of similarity for each later message of the conversation; 0: none
	InputTokensFlashAt int       `json:"input_tokens_flash_at,omitempty"` // tokens used from which the reply advises a flash save; 0: none
	InputTokensLimit   int       `json:"input_tokens_limit,omitempty"`
}

// Work is the task that a context is for.
type Work struct {
	ID              string          `json:"id,omitempty"`
	Title           string          `json:"title,omitempty"`
	Description     string          `json:"description,omitempty"`
	Mode            string          `json:"mode,omitempty"` // implement, analysis_only, plan or cheap
	Type            string          `json:"type,omitempty"`
	Tags            []string        `json:"tags,omitempty"`
	MentionedFiles  []string        `json:"mentioned_files,omitempty"`
	RequiresContext *bool           `json:"requires_context,omitempty"` // false: no history, blockers, memory or code; nil: as the context policy says, else true
	Issue           *Issue          `json:"issue,omitempty"`
	DesignDocument  string          `json:"design_document,omitempty"`
	FileOperations  []FileOperation `json:"file_operations,omitempty"`
	Steps           []Step          `json:"steps,omitempty"`
	Diff            string          `json:"diff,omitempty"`
	Acceptance      []string        `json:"acceptance_criteria,omitempty"`
}

// Issue is what a project works on.
type Issue struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// FileOperation is a change of a file that a task asks for.
type FileOperation struct {
	Op   string `json:"op"`
	Path string `json:"path"`
}

// Step is one step of a task.
type Step struct {
	Description string `json:"description"`
	Code        string `json:"code,omitempty"`
	Run         string `json:"run,omitempty"`
}

// Message is one message of a conversation or a prompt.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ContextReply is a compiled context: Messages are ready to be sent to a model.
type ContextReply struct {
	ID            string       `json:"id"` // for Feedback
	Status        string       `json:"status"`
	Reasons       []string     `json:"reasons"`
	Messages      []Message    `json:"messages"`
	Sections      []Section    `json:"sections"`
	Tokens        int          `json:"tokens"`
	BudgetTokens  int          `json:"budget_tokens"`
	PrefixHash    string       `json:"prefix_hash"`
	Fingerprint   *Fingerprint `json:"fingerprint"`
	Searched      Searched     `json:"searched"`       // what code was looked for in
	BestRelevance float64      `json:"best_relevance"` // of code, whether it stands in the context or not
	FlashSave     bool         `json:"flash_save"`     // the agent's window is 80 % full
	TookMS        float64      `json:"took_ms"`

	// As the event context_assembled has them.

	TaskID         string `json:"task_id"`
	AgentKind      string `json:"agent_kind"`
	ProfileID      string `json:"profile_id"`
	ItemsSelected  int    `json:"items_selected"`
	ItemsAvailable int    `json:"items_available"`
}

// Section is a named part of a context.
type Section struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Content string `json:"content"`
	Tokens  int    `json:"tokens"`
}

// Fingerprint is a context in a few numbers; two of the same shape have the same one.
type Fingerprint struct {
	ID               string   `json:"id"`
	Mode             string   `json:"mode"`
	Complexity       string   `json:"complexity"` // simple, moderate or complex
	FileCount        int      `json:"file_count"` // files that the task mentions
	FilesHash        string   `json:"files_hash"`
	Profile          string   `json:"profile"`
	Tokens           int      `json:"tokens"`
	Kinds            []string `json:"kinds"`
	CompressionRatio float64  `json:"compression_ratio"`
	Items            Counts   `json:"items"`
	Tags             []string `json:"tags"`
	TaskFingerprint  string   `json:"fingerprint_id"` // "fp-" and the id of the task; "" without a task
	FileHash         string   `json:"file_hash"`      // the first 8 digits of FilesHash
	TierCounts       *Counts  `json:"tier_counts"`    // as Items
	Compression      float64  `json:"compression"`    // as CompressionRatio
}

// Counts are numbers of pieces by scope.
type Counts struct {
	Task    int `json:"task"`
	Project int `json:"project"`
	Global  int `json:"global"`
}

// Context compiles the context of one call of an agent.
func (c *Client) Context(ctx context.Context, r ContextRequest) (*ContextReply, error) {
	var reply ContextReply
	return &reply, c.Call(ctx, http.MethodPost, "/v1/context", nil, r, &reply)
}
