package confedit

import (
	"strings"
	"testing"
)

var entry = Object{{"command", "/opt/contextd/retriever"}, {"args", []any{"mcp"}}}

var setPath = []string{"mcpServers", "contextd"}

func TestSetJSONKeepsEveryOtherByte(t *testing.T) {
	t.Parallel()
	const flat = `{"command":"/opt/contextd/retriever","args":["mcp"]}`
	for name, c := range map[string]struct{ in, want string }{
		"nothing": {"",
			"{\n  \"mcpServers\": {\n    \"contextd\": {\n      \"command\": \"/opt/contextd/retriever\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"empty": {"{}\n",
			"{\n  \"mcpServers\": {\n    \"contextd\": {\n      \"command\": \"/opt/contextd/retriever\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
		"on a line":  {`{"a":1}`, `{"a":1,"mcpServers":{"contextd":` + flat + `}}`},
		"spaces":     {`{ "a": 1, "b": 2 }`, `{ "a": 1, "b": 2, "mcpServers":{"contextd":` + flat + `} }`},
		"in servers": {`{"mcpServers":{}}`, `{"mcpServers":{"contextd":` + flat + `}}`},
		"tabs and comments": {
			"// mine\n{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"other\": {} // last\n\t}\n}\n",
			"// mine\n{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"other\": {}, // last\n\t\t\"contextd\": {\n\t\t\t\"command\": \"/opt/contextd/retriever\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n"},
		"trailing comma and CRLF": {
			"{\r\n    \"mcpServers\": {\r\n        \"x\": {},\r\n    },\r\n}",
			"{\r\n    \"mcpServers\": {\r\n        \"x\": {},\r\n        \"contextd\": {\r\n            \"command\": \"/opt/contextd/retriever\",\r\n            \"args\": [\"mcp\"]\r\n        },\r\n    },\r\n}"},
		"byte order mark": {"\ufeff{\"a\":1}", "\ufeff{\"a\":1,\"mcpServers\":{\"contextd\":" + flat + "}}"},
		"comment in an object": {"{\n  \"mcpServers\": {\n    // none\n  }\n}",
			"{\n  \"mcpServers\": {\n    // none\n    \"contextd\": {\n      \"command\": \"/opt/contextd/retriever\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
		"line comment": {"{\"a\":1, // one\n\"b\":2}", "{\"a\":1, // one\n\"b\":2, \"mcpServers\":{\"contextd\":" +
			flat + "}}"},
		"other binary": {`{"mcpServers":{"contextd":{"command":"/old","args":["mcp"],"timeout":5}}}`,
			`{"mcpServers":{"contextd":{"command":"/opt/contextd/retriever","args":["mcp"],"timeout":5}}}`},
		"more in the entry": {
			`{"mcpServers":{"contextd":{"args":["mcp"],"timeout":5,"command":"/opt/contextd/retriever"}}}`,
			`{"mcpServers":{"contextd":{"args":["mcp"],"timeout":5,"command":"/opt/contextd/retriever"}}}`},
		"no object": {`{"mcpServers":{"contextd":null}}`, `{"mcpServers":{"contextd":` + flat + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := SetJSON([]byte(c.in), setPath, entry)
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Apply([]byte(c.in))
			if err != nil || string(out) != c.want {
				t.Fatalf("got %q\nwant %q (%v)", out, c.want, err)
			}
			if back, err := e.Invert().Apply(out); err != nil || string(back) != c.in {
				t.Errorf("taken back: %q, want %q (%v)", back, c.in, err)
			}
			if again, err := SetJSON(out, setPath, entry); again != nil || err != nil {
				t.Errorf("a second time: %v, %v", again, err)
			}
		})
	}
}

func TestRemoveJSONLeavesTheOtherMembers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"mcpServers":{"contextd":{}}}`:                                          `{"mcpServers":{}}`,
		`{"mcpServers":{"contextd":{},"b":1}}`:                                    `{"mcpServers":{"b":1}}`,
		`{"mcpServers":{"b":1,"contextd":{}}}`:                                    `{"mcpServers":{"b":1}}`,
		`{"mcpServers":{"b":1,"contextd":{},"c":2,}}`:                             `{"mcpServers":{"b":1,"c":2,}}`,
		"{\"mcpServers\":{\n  \"b\":1, // one\n  \"contextd\":{}}}":               "{\"mcpServers\":{\n  \"b\":1 // one\n  }}",
		"{\"mcpServers\":{\n  \"b\":1, // one\n  \"contextd\":{} // two\n}}":      "{\"mcpServers\":{\n  \"b\":1 // one\n   // two\n}}",
		"{\"mcpServers\":{\n  \"b\":1,\n  \"contextd\":{}\n}}":                    "{\"mcpServers\":{\n  \"b\":1\n}}",
		"{\"mcpServers\":{\n  \"contextd\":{},\n  \"b\":1\n}}":                    "{\"mcpServers\":{\n  \"b\":1\n}}",
		"{\"mcpServers\":{\n  \"contextd\":{}\n}}":                                "{\"mcpServers\":{}}",
		`{"mcpServers":{"contextd":1,"b":1,"contextd":2}}`:                        `{"mcpServers":{"b":1}}`,
		"{\"mcpServers\":{\"b\":1,\"contextd\":1/* x */,\"contextd\":2/* y */ }}": "{\"mcpServers\":{\"b\":1/* x *//* y */ }}",
	} {
		e, err := RemoveJSON([]byte(in), setPath)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if out, err := e.Apply([]byte(in)); err != nil || string(out) != want {
			t.Errorf("%q: got %q, want %q (%v)", in, out, want, err)
		}
	}
}

func TestAppendAndRemoveElementsJSON(t *testing.T) {
	t.Parallel()
	path := []string{"hooks", "Stop"}
	for in, want := range map[string]string{
		`{"hooks":{"Stop":[{"a":1}]}}`:                            `{"hooks":{"Stop":[{"a":1},{"ours":true}]}}`,
		`{"hooks":{}}`:                                            `{"hooks":{"Stop":[{"ours":true}]}}`,
		"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}":             "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"ours\": true\n      }\n    ]\n  }\n}",
		"{\n  \"hooks\": {\n    \"Stop\": [ {\"a\": 1} ]\n  }\n}": "{\n  \"hooks\": {\n    \"Stop\": [ {\"a\": 1}, {\"ours\":true} ]\n  }\n}",
	} {
		e, err := AppendJSON([]byte(in), path, Object{{"ours", true}})
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		out, err := e.Apply([]byte(in))
		if err != nil || string(out) != want {
			t.Errorf("%q: got %q, want %q (%v)", in, out, want, err)
		}
		e, err = RemoveElementsJSON(out, path, func(v any) bool {
			m, _ := v.(map[string]any)
			return m["ours"] == true
		})
		if err != nil {
			t.Errorf("%q: %v", out, err)
			continue
		}
		if out, err = e.Apply(out); err != nil || strings.Contains(string(out), "ours") {
			t.Errorf("removed from %q: %q (%v)", in, out, err)
		}
	}
}

func TestJSONThatIsRefusedNamesItsPlace(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{\n  \"a\": tru\n}":              "line 2, column 8",
		"{\n  \"a\": 1":                   "line 2, column 9",
		"[1]":                             "line 1, column 1: want an object (the whole file)",
		"{\n \"mcpServers\": [] }":        `line 2, column 16: want an object ("mcpServers")`,
		"{\"a\":\"\xff\"}":                "not UTF-8",
		"\xff\xfe{\x00}\x00":              "not UTF-8",
		strings.Repeat("[", 2000000):      "line 1, column 1001: nested over 1000 levels deep",
		strings.Repeat("{\"a\":", 200000): "nested over 1000 levels deep",
	} {
		e, err := SetJSON([]byte(in), setPath, entry)
		if err == nil || !strings.Contains(err.Error(), want) || e != nil {
			t.Errorf("%.40q: %v, %v; want an error with %q", in, e, err, want)
		}
	}
}

func FuzzJSONIsEditedAndGivenBack(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\"a\":1}", "{ // c\n}", "{\"mcpServers\":{\"contextd\":{\"command\":1,},}, /* x */ }",
		"\ufeff{\n\t\"hooks\":{\"Stop\":[1,]}}\r\n", "{\"mcpServers\":{\n\"a\":1 //\n}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before, _, errBefore := GetJSON(in)
		current := in
		var edits []Edit
		step := func(e Edit, err error) bool {
			if err != nil {
				return false
			}
			out, err := e.Apply(current)
			if err != nil {
				t.Fatalf("edit of %q: %v", current, err)
			}
			if _, _, err := GetJSON(out); err != nil {
				t.Fatalf("%q became %q: %v", current, out, err)
			}
			current, edits = out, append(edits, e)
			return true
		}
		if !step(SetJSON(current, setPath, entry)) {
			return
		}
		step(AppendJSON(current, []string{"hooks", "Stop"}, entry))
		v, found, err := GetJSON(current, setPath...)
		if !found || err != nil || !within(plain(entry), v) {
			t.Fatalf("%q holds %v (%v)", current, v, err)
		}
		installed := current
		for i := len(edits) - 1; i >= 0; i-- {
			if current, err = edits[i].Invert().Apply(current); err != nil {
				t.Fatal(err)
			}
		}
		if string(current) != string(in) {
			t.Fatalf("%q was given back as %q", in, current)
		}
		current = installed
		if !step(RemoveJSON(current, setPath)) {
			t.Fatalf("cannot be removed from %q", current)
		}
		step(RemoveElementsJSON(current, []string{"hooks", "Stop"}, func(v any) bool {
			return within(plain(entry), v)
		}))
		after, _, err := GetJSON(current)
		if err != nil || errBefore == nil && len(in) > 0 && before != nil && !holds(after, before, 0) {
			t.Fatalf("%q became %q (%v)", in, current, err)
		}
	})
}

// holds reports whether after still has each member that before had, but for those the test writes.
func holds(after, before any, depth int) bool {
	b, ok := before.(map[string]any)
	if !ok {
		return true
	}
	a, ok := after.(map[string]any)
	for k, v := range b {
		if depth == 1 && (k == "contextd" || k == "Stop") {
			continue
		}
		x, has := a[k]
		ok = ok && has && holds(x, v, depth+1)
	}
	return ok
}
