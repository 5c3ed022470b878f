package openai

import (
	"strings"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/safetext"
)

// layout is the version of how texts are put together here; it is part of the fingerprint.
const layout = "1"

// maxText bounds a text in bytes; a longer one is cut. A chunk has at most 4,000 characters.
const maxText = 16_000

// prompt is what a model was trained to see before a question and before a document.
type prompt struct {
	model           string // a part of the model's name, in lower case
	query, document string
}

// prompts come from the models' own descriptions; the first whose name occurs counts. A model that stands in no row
// gets none.
var prompts = []prompt{
	{"nomic-embed-code", "Represent this query for searching relevant code: ", ""},
	{"nomic-embed-text", "search_query: ", "search_document: "},
	{"e5-mistral", "Instruct: Given a question, retrieve code that answers it\nQuery: ", ""},
	{"e5-large-instruct", "Instruct: Given a question, retrieve code that answers it\nQuery: ", ""},
	{"e5-small", "query: ", "passage: "},
	{"e5-base", "query: ", "passage: "},
	{"e5-large", "query: ", "passage: "},
	{"bge-small-en", "Represent this sentence for searching relevant passages: ", ""},
	{"bge-base-en", "Represent this sentence for searching relevant passages: ", ""},
	{"bge-large-en", "Represent this sentence for searching relevant passages: ", ""},
	{"mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""},
	{"snowflake-arctic-embed2", "query: ", ""},
	{"snowflake-arctic-embed-l-v2", "query: ", ""},
	{"snowflake-arctic-embed-m-v2", "query: ", ""},
	{"snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""},
	{"qwen3-embedding", "Instruct: Given a question, retrieve code that answers it\nQuery:", ""},
	{"embeddinggemma", "task: code retrieval | query: ", "title: none | text: "},
}

func promptOf(model string) prompt {
	model = strings.ToLower(model)
	for _, p := range prompts {
		if strings.Contains(model, p.model) {
			return p
		}
	}
	return prompt{}
}

// passage is what is sent for a chunk: its path on a line, then its text.
func (p prompt) passage(t embed.Text) string {
	return safetext.Cut(p.document+t.Path+"\n"+t.Body, maxText)
}

func (p prompt) question(text string) string { return safetext.Cut(p.query+text, maxText/2) }
