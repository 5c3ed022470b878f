package client

import (
	"context"
	"net/http"
)

// SearchRequest is a question about code. Fields that are zero have the server's defaults.
type SearchRequest struct {
	Query        string   `json:"query"`
	Project      string   `json:"project,omitempty"` // it or Root
	Root         string   `json:"root,omitempty"`    // absolute
	K            int      `json:"k,omitempty"`       // greatest number of results; 0 means 3
	MaxChars     int      `json:"max_chars,omitempty"`
	MaxBytes     int      `json:"max_bytes,omitempty"`
	MaxTokens    int      `json:"max_tokens,omitempty"`    // of the answer's text; 0 means no limit
	Paths        []string `json:"paths,omitempty"`         // files, folders or globs
	Langs        []string `json:"langs,omitempty"`         // such as go, py or c++
	Content      string   `json:"content,omitempty"`       // code, docs, config or all; "" means all
	MinRelevance *float64 `json:"min_relevance,omitempty"` // nil means 0.3
	Stale        string   `json:"stale,omitempty"`         // verify or skip
	DeadlineMS   float64  `json:"deadline_ms,omitempty"`   // 0 means 200
	NoIndex      bool     `json:"no_index,omitempty"`
	Explain      bool     `json:"explain,omitempty"`
	Format       string   `json:"format,omitempty"` // "text": the reply holds Text, too
}

// SearchReply is an answer. Status is ok, empty or degraded; Reasons say why it is degraded.
type SearchReply struct {
	Query         string         `json:"query"`
	Project       string         `json:"project"`
	Root          string         `json:"root"`
	Status        string         `json:"status"`
	Reasons       []string       `json:"reasons"`
	Generation    int64          `json:"generation"`
	IndexedAt     string         `json:"indexed_at"`
	TookMS        float64        `json:"took_ms"`
	Searched      Searched       `json:"searched"`
	BestRelevance float64        `json:"best_relevance"` // also below the threshold
	Results       []SearchResult `json:"results"`        // the best chunk of each file, then further ones
	Nearest       []Nearest      `json:"nearest"`        // only without results
	MissingWords  []string       `json:"missing_words"`  // words of Query that stand nowhere in the project
	NearestNames  []string       `json:"nearest_names"`  // names that are spelt nearly like them
	// UnmatchedPaths and UnmatchedLangs are the filters that no file of the index matches.
	UnmatchedPaths []string `json:"unmatched_paths"`
	UnmatchedLangs []string `json:"unmatched_langs"`
	// MaxTokens is as in the request, Tokens what the text takes, and Omitted the results that had no room even as a pointer.
	MaxTokens   int        `json:"max_tokens"`
	Tokens      int        `json:"tokens"`
	Omitted     int        `json:"omitted"`
	Content     string     `json:"content"`      // as in the request; "" where it was all
	LargerRoot  string     `json:"larger_root"`  // "" over HTTP, where a project or a root is always named
	Reranked    bool       `json:"reranked"`     // a language model put the first candidates in order
	RerankFault string     `json:"rerank_fault"` // why it did not, where the settings name one; else ""
	Rejected    []Rejected `json:"rejected"`     // only with Explain
	Text        string     `json:"text"`         // only with the format "text": the answer as a prompt shows it
}

// Nearest is a place that came nearest where nothing is relevant.
type Nearest struct {
	Path      string  `json:"path"`
	StartLine int     `json:"start_line"`
	EndLine   int     `json:"end_line"`
	Symbol    string  `json:"symbol"`
	Relevance float64 `json:"relevance"`
}

// Searched counts what was looked for in.
type Searched struct {
	Files  int `json:"files"`
	Chunks int `json:"chunks"`
}

// SearchResult is one piece of verified code.
type SearchResult struct {
	Path        string  `json:"path"`
	StartLine   int     `json:"start_line"` // of the chunk; its snippet begins at SnippetLine
	EndLine     int     `json:"end_line"`
	Symbol      string  `json:"symbol"`
	Kind        string  `json:"kind"`
	Language    string  `json:"language"`
	Relevance   float64 `json:"relevance"`
	Grade       string  `json:"grade"`     // strong, likely or possible
	Freshness   string  `json:"freshness"` // indexed or overlay
	SnippetLine int     `json:"snippet_line"`
	Snippet     string  `json:"snippet"`
	Truncated   bool    `json:"truncated"`
	Pointer     bool    `json:"pointer"`       // MaxTokens left no room for the snippet
	ShareOfBest float64 `json:"share_of_best"` // of a further chunk of a file: of what speaks for its best one; else 0
	// Explain is what made the file's score, and Companions usually changed along with it; only with Explain in the request.
	Explain    []Contribution `json:"explain"`
	Companions []Companion    `json:"companions"`
}

// Contribution is what one feature adds to a score: Value times Weight.
type Contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
}

// Rejected is a candidate that did not become a result.
type Rejected struct {
	Path      string  `json:"path"`
	Reason    string  `json:"reason"` // the gate that kept it away: docs/OPERATIONS.md
	Relevance float64 `json:"relevance"`
}

// Search answers a question with verified snippets.
func (c *Client) Search(ctx context.Context, r SearchRequest) (*SearchReply, error) {
	var reply SearchReply
	return &reply, c.Call(ctx, http.MethodPost, "/v1/search", nil, r, &reply)
}
