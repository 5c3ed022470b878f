package history

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIntents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		" \n---\n":                          "",
		"Fix the login":                     "Fix the login",
		"## Fix  the\tlogin.\n\nIt fails.":  "Fix the login",
		"- fix v1.2 of app.ts. Then deploy": "fix v1.2 of app.ts",
		"Why? Because. Of it":               "Why?",
		"see e.g. the docs":                 "see e.g. the docs",
		"> \u00c4ndere es. \u00dcberall":    "\u00c4ndere es",
		"修复登录":                              "修复登录",
		strings.Repeat("word ", 40):         strings.TrimSpace(strings.Repeat("word ", 23)) + "…",
		strings.Repeat("ж", 200):            strings.Repeat("ж", 119) + "…",
	} {
		if got := IntentOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	for want, task := range map[string]Task{
		"Do it. Succeeded":                    {Success: new(true)},
		"Do it. Failed":                       {Success: new(false)},
		"Do it":                               {},
		"Do it. Succeeded; 1 file changed: .": {Success: new(true), ChangedFiles: []string{"go.mod"}},
		"Do it. Failed; 5 files changed: b (2), a, c and 1 more; a 1, b ok, c 2, d failed": {
			Success: new(false), ChangedFiles: []string{"c/x", "b/x", `b\y`, "a/x", "d/x"},
			ValidationReport: json.RawMessage(`{"e":1,"d":false,"c":[1,2],"b":true,"a":1,"0":"text","00":null}`),
		},
		"Do it. Failed; x 0.5": {Success: new(false), ValidationReport: json.RawMessage(`{"x":0.5}`)},
		"Given as it is":       {Summary: "Given\nas it  is", ChangedFiles: []string{"a"}},
	} {
		for range 3 { // whatever the order of a map
			if got := SummaryOf("Do it", task); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	for _, report := range []string{"", "12", "[1]", `"x"`, "{"} {
		if got := SummaryOf("",
			Task{Success: new(true), ValidationReport: json.RawMessage(report)}); got != "Succeeded" {
			t.Errorf("report %s: %q", report, got)
		}
	}
}

func FuzzIntentAndSummary(f *testing.F) {
	f.Add("# Fix it. Now", "a/b.go", `{"tests":1}`)
	f.Fuzz(func(t *testing.T, text, file, report string) {
		intent := IntentOf(text)
		summary := SummaryOf(intent, Task{ChangedFiles: []string{file, text},
			ValidationReport: json.RawMessage(report)})
		if utf8.RuneCountInString(intent) > maxIntent || utf8.RuneCountInString(summary) > maxSummary ||
			strings.ContainsAny(intent, "\n\r") {
			t.Errorf("%q, %q", intent, summary)
		}
	})
}

func FuzzOldState(f *testing.F) {
	f.Add([]byte(oldState))
	f.Add([]byte(`{"completed_tasks":[{"task_id":"a","completed_at":1e300}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, again State
		if json.Unmarshal(data, &s) != nil {
			return
		}
		one, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(one, &again); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		if two, err := json.Marshal(again); err != nil || string(two) != string(one) {
			t.Errorf("%v: %s\nthen %s", err, one, two)
		}
	})
}
