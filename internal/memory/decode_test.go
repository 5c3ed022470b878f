package memory

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// stored are items as they are stored, with all that may be there and with as little as may be.
func stored(t testing.TB) (docs [][]byte, items []Item) {
	t.Helper()
	pinned := .25
	least := Item{ID: "mem_1", AgentID: "knight", Scope: ScopeTask, Kind: "fact", Content: "plain", Tier: Hot, CreatedAt: start, LastAccessed: start}
	most := Item{ID: "mem_2", AgentID: "a b", Project: "web", Scope: ScopeProject, Kind: "error", Content: "one\n\ttwo \"three\" \\ four\r\b\f größer <b>&</b>", Importance: math.Pi / 4,
		Tier: Cold, AccessCount: 12, CreatedAt: start.Add(123456789), LastAccessed: start.In(time.FixedZone("", 3600)), Tags: []string{"x", "a/b"},
		Citations: []Citation{{Path: "a.go"}, {Path: "b c.go", Span: &Span{3, 40}, Hash: "00ff"}}, TaskID: "t1", Past: true, Pinned: &pinned}
	tiny := least
	tiny.Content, tiny.Importance = "", 1e-9
	for _, it := range []Item{least, most, tiny} {
		data, err := encode(it)
		if err != nil {
			t.Fatal(err)
		}
		docs, items = append(docs, data), append(items, it)
	}
	return docs, items
}

func TestAnItemIsReadInOnePassAsItIsWritten(t *testing.T) {
	t.Parallel()
	docs, items := stored(t)
	for i, data := range docs {
		p := parser{rest: string(data)}
		it := p.item()
		if p.failed || p.rest != "" {
			t.Errorf("%s is left to package json", data)
		}
		if !it.LastAccessed.Equal(items[i].LastAccessed) {
			t.Errorf("last access at %s, want %s", it.LastAccessed, items[i].LastAccessed)
		}
		it.LastAccessed = items[i].LastAccessed // zones without a name differ in how they are held
		if !reflect.DeepEqual(it, items[i]) {
			t.Errorf("%+v\nwant %+v", it, items[i])
		}
	}
}

// FuzzDecode: a document means what package json says, whatever it is.
func FuzzDecode(f *testing.F) {
	docs, _ := stored(f)
	for _, d := range docs {
		f.Add(d)
		for _, change := range []string{`"id"|"ID"`, `:|: `, `,"past":true|,"past":false`, `plain|\u001b[1m\u2028`, "plain|\xff", `plain|\x`, "plain|a\nb", `12,|012,`, `12,|1e1,`, `.25|+.25`,
			`.25|2.`, `.25|1e999`, `}|} `, `}|}}`, `}|,"verify":true}`, `"x"|`, `[|[]`, `T12|t12`, `"mem_1"|null`, `"end"|"End"`, `{|{"id":"twice",`} {
			old, fresh, _ := strings.Cut(change, "|")
			f.Add([]byte(strings.Replace(string(d), old, fresh, 1)))
		}
		f.Add(d[:len(d)-9])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want Item
		wantErr := json.Unmarshal(data, &want)
		got, err := decode(data)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %+v, %v\nwant %+v, %v", data, got, err, want, wantErr)
		}
	})
}
