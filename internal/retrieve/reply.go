package retrieve

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/rank"
)

// Status sums a reply up.
type Status string

// The states of a reply.
const (
	OK       Status = "ok"       // results, at full strength
	Empty    Status = "empty"    // nothing relevant: an answer
	Degraded Status = "degraded" // less than full strength; Reasons says why
)

// Reason says why a reply is not of full strength.
type Reason string

// The reasons of a degraded reply.
const (
	IndexMissing        Reason = "index_missing"
	IndexBuilding       Reason = "index_building"
	IndexStale          Reason = "index_stale"
	Backlog             Reason = "backlog"
	RedisUnreachable    Reason = "redis_unreachable"
	RedisAuth           Reason = "redis_auth"
	SearchUnsupported   Reason = "search_unsupported"
	EmbedderUnavailable Reason = "embedder_unavailable"
	Deadline            Reason = "deadline"
	// of a first large index on Redis; may stand beside ok, as ChangesWaiting
	VectorsBuilding Reason = "vectors_building"
	StoreFull       Reason = "store_full"    // the store has no room for what changed
	StateRebuilt    Reason = "state_rebuilt" // may stand beside ok
	// ChangesWaiting: files have changed, or may have, that the answer does not know of yet. It stands beside ok where
	// there are results: they are verified. Without any the answer is degraded.
	ChangesWaiting Reason = "changes_waiting"
	// GenerationBehind: the index did not reach Request.MinGeneration in time, or it is not known to have.
	GenerationBehind Reason = "generation_behind"
)

// Freshness says how a result relates to the index.
type Freshness string

// Indexed: the file is as it was indexed. Overlay: it has changed since and was analyzed for this answer.
const (
	Indexed Freshness = "indexed"
	Overlay Freshness = "overlay"
)

// Reply is the outside form of an answer; every field is always there.
type Reply struct {
	Query         string   `json:"query"`
	Project       string   `json:"project"`
	Root          string   `json:"root"`
	Status        Status   `json:"status"`
	Reasons       []Reason `json:"reasons"`
	Generation    int64    `json:"generation"`
	IndexedAt     string   `json:"indexed_at"` // RFC 3339, UTC; "" when never
	TookMS        float64  `json:"took_ms"`
	Searched      Searched `json:"searched"`
	BestRelevance float64  `json:"best_relevance"`
	Results       []Result `json:"results"`
	// only without results: what came nearest, though it probably does not answer
	Nearest []Nearest `json:"nearest,omitempty"`
	// words of Query that stand nowhere in the project, in lower case
	MissingWords []string `json:"missing_words,omitempty"`
	// words of the project's names that are spelt nearly like MissingWords, which Results answer too
	NearestNames []string `json:"nearest_names,omitempty"`
	// UnmatchedPaths and UnmatchedLangs are the filters that no searched file of the index matches; all of them where
	// each matches some file and none matches a path and a language at once.
	UnmatchedPaths []string    `json:"unmatched_paths,omitempty"`
	UnmatchedLangs []string    `json:"unmatched_langs,omitempty"`
	Roots          []RootReply `json:"roots,omitempty"` // of an answer of several roots, see Merge
	// MaxTokens is set by Fit, with Tokens, what the text takes, and Omitted, the results that had no room even as a
	// pointer.
	MaxTokens int          `json:"max_tokens,omitempty"`
	Tokens    int          `json:"tokens,omitempty"`
	Omitted   int          `json:"omitted,omitempty"`
	Content   lang.Content `json:"content,omitempty"` // the kind of files that was searched; "": all
	// a folder above Root that is a project or a repository too, where none was named
	LargerRoot string `json:"larger_root,omitempty"`
	Reranked   bool   `json:"reranked,omitempty"` // the second stage put the first candidates in order
	// RerankFault says why the second stage, which the settings name, did not: the order is as without it.
	RerankFault RerankFault `json:"rerank_fault,omitempty"`
	Rejected    *[]Reject   `json:"rejected,omitempty"` // only with Explain
	Named       []Result    `json:"-"`                  // what Request.Named asks for; Status does not count it
	// Asked are the files of the index that the question names lines of, the most important first. Where Request.Named
	// asks for files they are among those.
	Asked []code.Path `json:"-"`
	// Err is a *PlaceError where Request.Like names a place without a chunk.
	Err   error `json:"-"`
	least int64 // Request.MinGeneration
}

// Searched counts what the answer was chosen from.
type Searched struct {
	Files  int `json:"files"`
	Chunks int `json:"chunks"`
}

// Nearest is a place that came nearest where nothing is relevant.
type Nearest struct {
	Root      string    `json:"root,omitempty"` // where several were asked
	Path      code.Path `json:"path"`
	StartLine int       `json:"start_line"`
	EndLine   int       `json:"end_line"`
	Symbol    string    `json:"symbol"`
	Relevance float64   `json:"relevance"`
}

// Result is one piece of verified code.
type Result struct {
	Root        string              `json:"root,omitempty"` // where several were asked
	Path        code.Path           `json:"path"`
	StartLine   int                 `json:"start_line"` // span of the chunk, from 1, inclusive
	EndLine     int                 `json:"end_line"`
	Symbol      string              `json:"symbol"`
	Kind        code.Kind           `json:"kind"`
	Language    string              `json:"language"`
	Relevance   float64             `json:"relevance"`
	Grade       gates.Grade         `json:"grade"` // possible: Snippet is the line that says what it is
	Freshness   Freshness           `json:"freshness"`
	SnippetLine int                 `json:"snippet_line"` // first line of Snippet
	Snippet     string              `json:"snippet"`
	Truncated   bool                `json:"truncated"` // Snippet is not the whole chunk
	Explain     []rank.Contribution `json:"explain,omitempty"`
	Pointer     bool                `json:"pointer,omitempty"` // Reply.Fit took the snippet away
	// Asked is set where the question names a line of this file: Snippet holds it, and it stands here whatever it is
	// about.
	Asked bool `json:"-"`
	// FileBytes is the size of the whole file as it was read for this answer.
	FileBytes int `json:"-"`
	// ShareOfBest is set on a further chunk of a file whose best one stands above: how much of what speaks for showing
	// the best speaks for showing this one.
	ShareOfBest float64 `json:"share_of_best,omitempty"`
	// Companions are files that usually changed along with this one; only with Explain.
	Companions []githist.Companion `json:"companions,omitempty"`
}

// Shown are the lines of Snippet; of a result without a text its first line.
func (r *Result) Shown() code.Span {
	return code.Span{Start: r.SnippetLine, End: r.SnippetLine + strings.Count(r.Snippet, "\n")}
}

// Reject is a candidate that was not served, and the gate that kept it.
type Reject struct {
	Root      string    `json:"root,omitempty"` // where several were asked
	Path      code.Path `json:"path"`
	Reason    string    `json:"reason"`
	Relevance float64   `json:"relevance"` // as of a Result: gates decide on ranked candidates only
}
