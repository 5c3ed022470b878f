package api

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	yaml "go.yaml.in/yaml/v3"

	"github.com/contextd/contextd/internal/web"
)

// operation is one of the document.
type operation struct {
	id, method, path string
	node             map[string]any
}

// description is the document as the tests use it.
type description struct {
	schemas
	ops []operation
}

var described = sync.OnceValues(func() (*description, error) {
	d := &description{schemas: schemas{strict: true}}
	if err := yaml.Unmarshal(OpenAPI, &d.doc); err != nil {
		return nil, err
	}
	for path, item := range d.doc["paths"].(map[string]any) {
		for method, node := range item.(map[string]any) {
			op := node.(map[string]any)
			d.ops = append(d.ops, operation{op["operationId"].(string), strings.ToUpper(method), path, op})
		}
	}
	return d, nil
})

// find is the operation of a request; literal parts of a path win over parameters.
func (d *description) find(method, path string) *operation {
	path, _, _ = strings.Cut(path, "?")
	var found *operation
	for i := range d.ops {
		op := &d.ops[i]
		if op.method == method && matches(op.path, path) &&
			(found == nil || strings.Count(op.path, "{") < strings.Count(found.path, "{")) {
			found = op
		}
	}
	return found
}

func matches(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return len(a) == len(b) && !slices.ContainsFunc(a, func(part string) bool {
		i := slices.Index(a, part)
		return part != b[i] && !strings.HasPrefix(part, "{")
	})
}

// conforms holds a real reply, and the body of a request that was taken, against the document.
func (w *world) conforms(method, path, body string, a answer) {
	w.t.Helper()
	d, err := described()
	if err != nil {
		w.t.Fatal(err)
	}
	op := d.find(method, path)
	if op == nil && web.Has(path) { // for people: the description is of what programs ask for
		return
	}
	if op == nil {
		if a.code != http.StatusNotFound && a.code != http.StatusMethodNotAllowed && a.code != http.StatusUnauthorized {
			w.t.Errorf("%s %s: %d of an operation that is not described", method, path, a.code)
		}
		return
	}
	covered.Store(op.id+" "+strconv.Itoa(a.code/100), true)
	responses := op.node["responses"].(map[string]any)
	node, ok := responses[strconv.Itoa(a.code)].(map[string]any)
	if !ok {
		node, ok = responses["default"].(map[string]any)
	}
	if !ok || a.code < 300 && responses[strconv.Itoa(a.code)] == nil {
		w.t.Errorf("%s: status %d is not described", op.id, a.code)
		return
	}
	if ref, ok := node["$ref"].(string); ok {
		node = d.resolve(ref)
	}
	content, _ := node["content"].(map[string]any)
	if content == nil {
		if len(a.body) > 0 {
			w.t.Errorf("%s: %d: a body that is not described: %s", op.id, a.code, a.body)
		}
		return
	}
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	media, ok := content[kind].(map[string]any)
	if !ok {
		w.t.Errorf("%s: %d: media type %q is not described", op.id, a.code, kind)
		return
	}
	if strings.HasSuffix(kind, "json") {
		w.fits(d.schemas, op.id+" "+strconv.Itoa(a.code), media["schema"].(map[string]any), a.body)
	}
	if a.code < 300 && body != "" {
		open := d.schemas
		open.strict = false
		w.fits(open, "request of "+op.id,
			op.node["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any), []byte(body))
	}
}

// fits holds one JSON document against a schema.
func (w *world) fits(s schemas, what string, schema map[string]any, data []byte) {
	w.t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		w.t.Errorf("%s: %v in %s", what, err, data)
		return
	}
	for _, f := range s.check(schema, v, "$") {
		w.t.Errorf("%s: %s\n%s", what, f, data)
	}
}

func TestDescriptionAndRoutesAreTheSame(t *testing.T) {
	t.Parallel()
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, op := range d.ops {
		want = append(want, op.method+" "+op.path)
	}
	for _, rt := range routes {
		have = append(have, rt.method+" "+rt.path)
	}
	have = append(have, "GET /metrics", "GET /healthz", "GET /readyz")
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("routes\n%s\ndescribed\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	ids := map[string]bool{}
	for _, op := range d.ops {
		if ids[op.id] {
			t.Errorf("operationId %q stands twice", op.id)
		}
		ids[op.id] = true
		// each part of the path in braces is a parameter, and the other way round
		var inPath, inQuery []string
		for _, p := range list(op.node["parameters"]) {
			m := p.(map[string]any)
			if ref, ok := m["$ref"].(string); ok {
				m = d.resolve(ref)
			}
			if m["in"] == "path" {
				inPath = append(inPath, "{"+m["name"].(string)+"}")
			} else {
				inQuery = append(inQuery, m["name"].(string))
			}
		}
		if i := slices.IndexFunc(routes, func(rt route) bool {
			return rt.method == op.method && rt.path == op.path
		}); i >= 0 {
			taken := strings.Fields(routes[i].query)
			slices.Sort(taken)
			slices.Sort(inQuery)
			if !slices.Equal(taken, inQuery) {
				t.Errorf("%s takes the parameters %q, described are %q", op.id, taken, inQuery)
			}
		}
		for part := range strings.SplitSeq(op.path, "/") {
			if strings.HasPrefix(part, "{") {
				i := slices.Index(inPath, part)
				if i < 0 {
					t.Errorf("%s: %s is no parameter", op.id, part)
					continue
				}
				inPath = slices.Delete(inPath, i, i+1)
			}
		}
		if len(inPath) > 0 {
			t.Errorf("%s: %q are not in the path", op.id, inPath)
		}
	}
}

// All schemas are used, and all references lead somewhere.
func TestDescriptionHasNoLooseEnds(t *testing.T) {
	t.Parallel()
	doc := document(t)
	s := schemas{doc: doc}
	used := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			if ref, ok := x["$ref"].(string); ok {
				s.resolve(ref)
				used[ref] = true
			}
			for key, y := range x {
				if strings.ContainsAny(key, " .") && !strings.HasPrefix(key, "/") {
					t.Errorf("key %q: a text with a comma stands without quotes", key)
				}
				walk(y)
			}
		case []any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	walk(doc)
	all := doc["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range all {
		if !used["#/components/schemas/"+name] {
			t.Errorf("schema %s is not used", name)
		}
	}
}

func TestEveryKindOfProblemIsDocumented(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "API.md")
	for s, k := range kinds {
		if !strings.Contains(doc, "| `"+string(s)+"` | "+strconv.Itoa(k.status)+" |") {
			t.Errorf("docs/API.md lacks `%s` %d", s, k.status)
		}
	}
}

// Every operation asks for the token, and refuses what it does not know by name.
func TestEveryOperationIsStrict(t *testing.T) {
	t.Parallel()
	w := setup(t)
	locked := setup(t, func(o *Options) { o.Token = testToken })
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range d.ops {
		path := strings.NewReplacer("{id}", "web", "{agent_id}", "knight-1", "{task}", "t-1", "{item}", "mem_1",
			"{other}", "ctx_2").Replace(op.path)
		if op.node["security"] == nil {
			locked.refused(unauthorized, op.method, path, "")
		}
		if op.method == "GET" && op.node["x-websocket"] == nil &&
			(op.node["security"] != nil || op.id == "metrics" || strings.HasPrefix(op.id, "openapi")) {
			w.do(op.method, path, "")
		}
		if rt := slices.IndexFunc(routes, func(rt route) bool {
			return rt.method == op.method && rt.path == op.path
		}); rt < 0 {
			continue // package obs serves it, and looks at no query
		}
		if p := w.refused(unknownField, op.method, path+"?bogus=1", ""); p.Field != "bogus" {
			t.Errorf("%s: field %q", op.id, p.Field)
		}
		body, _ := op.node["requestBody"].(map[string]any)
		if body == nil {
			continue
		}
		_, more := d.properties(
			body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any))
		if more == true { // what it does not know is kept
			continue
		}
		if p := w.refused(unknownField, op.method, path, `{"bogus":1}`); p.Field != "bogus" {
			t.Errorf("%s: field %q", op.id, p.Field)
		}
	}
}
