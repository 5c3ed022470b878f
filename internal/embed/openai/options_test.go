package openai

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
)

func TestTheBaseOfTheAPIIsUnderstoodInEveryForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                      "https://api.openai.com/v1",
		"http://localhost:11434":                "http://localhost:11434/v1",
		"http://localhost:11434/":               "http://localhost:11434/v1",
		"http://localhost:11434/v1/":            "http://localhost:11434/v1",
		"http://localhost:8080/v1/embeddings":   "http://localhost:8080/v1",
		"https://host/api/openai":               "https://host/api/openai",
		" https://api.openai.com/v1/embeddings": "https://api.openai.com/v1",
	} {
		if got := (Options{URL: in}).WithDefaults().URL; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if o := (Options{Key: "k"}).WithDefaults(); o.Model != DefaultModel || o.Validate() != nil {
		t.Errorf("a key alone: model %q, %v", o.Model, o.Validate())
	}
}

func TestAWrongOptionIsNamedAndNoSecretShown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "want a server or a key"},
		{Options{URL: "http://h"}, `want the name of a model at "h"`},
		{Options{URL: "localhost:1", Model: "m"}, "want http://"},
		{Options{URL: "http://u:hunter2@h", Model: "m"}, "OPENAI_API_KEY"},
		{Options{URL: "http://u:hunter2@h:x", Model: "m"}, "want http://"},
		{Options{URL: "http://h/v1?key=hunter2", Model: "m"}, "want none with ?"},
		{Options{URL: "http://h", Model: "m n"}, "without spaces"},
		{Options{URL: "http://h", Model: "m", Key: "hunter2\nx"}, "want one line"},
		{Options{URL: "http://h", Model: "m", BatchTexts: -1}, "batch texts must be at least 1 (got -1)"},
		{Options{URL: "http://h", Model: "m", BatchBytes: 10}, "batch bytes"},
		{Options{URL: "http://h", Model: "m", Timeout: -time.Second}, "timeout must be above 0"},
	} {
		_, err := New(tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v; want %q", tt.o, err, tt.want)
		}
	}
}

func TestTheKeyIsSentAsBearerAndOnlyIfThereIsOne(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"k1": "Bearer k1", "": ""} {
		s := newServer(t, nil)
		var got []string
		s.change(func(s *server) {
			s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
				got = append(got, r.Header.Get("Authorization"))
				return false
			}
		})
		if err := s.client(func(o *Options) { o.Key = key }).Probe(t.Context()); err != nil || len(got) != 1 ||
			got[0] != want {
			t.Errorf("key %q: sent %q, %v", key, got, err)
		}
	}
}

func TestAModelSeesWhatItWasTrainedToSee(t *testing.T) {
	t.Parallel()
	text := embed.Text{Path: "a/b.go", Body: "func F() {}"}
	for model, want := range map[string][2]string{
		"text-embedding-3-small":        {"q", "a/b.go\nfunc F() {}"},
		"nomic-embed-text:v1.5":         {"search_query: q", "search_document: a/b.go\nfunc F() {}"},
		"intfloat/multilingual-e5-base": {"query: q", "passage: a/b.go\nfunc F() {}"},
		"BAAI/bge-base-en-v1.5": {"Represent this sentence for searching relevant passages: q",
			"a/b.go\nfunc F() {}"},
		"Qwen/Qwen3-Embedding-0.6B": {"Instruct: Given a question, retrieve code that answers it\nQuery:q",
			"a/b.go\nfunc F() {}"},
		"snowflake-arctic-embed2": {"query: q", "a/b.go\nfunc F() {}"},
		"multilingual-e5-large-instruct": {"Instruct: Given a question, retrieve code that answers it\nQuery: q",
			"a/b.go\nfunc F() {}"},
		"some/model-that-nobody-described": {"q", "a/b.go\nfunc F() {}"},
	} {
		p := promptOf(model)
		if got := [2]string{p.question("q"), p.passage(text)}; got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
	if got := (prompt{}).passage(embed.Text{Body: strings.Repeat("ä", maxText)}); len(got) > maxText ||
		!strings.HasSuffix(got, "ä") {
		t.Errorf("a long text is cut to %d bytes", len(got))
	}
}
