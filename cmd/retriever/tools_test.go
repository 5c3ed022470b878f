package main

import (
	"encoding/json"
	"testing"

	"github.com/contextd/contextd/internal/runner"
)

func TestToolsHaveTheFormsOfTheModelsAPIs(t *testing.T) {
	t.Parallel()
	tools := []runner.Tool{{Name: "search_code", Description: "Find code.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}}
	for format, want := range map[string]string{
		"openai":    `[{"type":"function","function":{"name":"search_code","description":"Find code.","parameters":{"type":"object","properties":{"query":{"type":"string"}}}}}]`,
		"anthropic": `[{"name":"search_code","description":"Find code.","input_schema":{"type":"object","properties":{"query":{"type":"string"}}}}]`,
	} {
		list, err := toolForms(format, tools)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(list); err != nil || string(got) != want {
			t.Errorf("%s: got %s, want %s (%v)", format, got, want, err)
		}
	}
	if _, err := toolForms("gemini", tools); err == nil {
		t.Error("an unknown form is no error")
	}
}
