package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"testing"
)

type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(c))}, nil
}

// FuzzAnswer holds that whatever a server says is an error, or unit vectors of one length.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"object":"list","data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[3,4]}],"usage":null}`,
		`{"data":[{"index":0,"embedding":[1,null]},{"index":1,"embedding":[0,0]}]}`,
		`{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1e38,1e38]}]}`,
		`{"data":[{"index":0,"embedding":[1e-45]},{"index":1,"embedding":[1e-45]}]}`,
		`{"data":[null,null]}`, `{"data":[{"embedding":[{"a":[null]}]},{}]}`, `[]`, `{"data":"a,null]`, `null`, "",
		`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := New(Options{URL: "http://host", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		e.http.client.Transport = canned(body)
		vectors, err := e.ask(t.Context(), []string{"a", "b"}, e.opts.Timeout)
		if err != nil {
			return
		}
		if len(vectors) != 2 {
			t.Fatalf("%d vectors for 2 texts", len(vectors))
		}
		for _, v := range vectors {
			if v == nil {
				continue
			}
			var sum float64
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if len(v) != e.Dims() || math.Abs(sum-1) > 1e-3 {
				t.Fatalf("a vector of %d numbers and length² %v", len(v), sum)
			}
		}
	})
}

func TestANullIsFoundInTheVectorThatHoldsIt(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]int{
		`{"data":[{"index":0,"embedding":[1, null]},{"embedding":[1,2]}]}`:                                 {0},
		`{"usage":null,"model":"[null","data":[{"object":null,"embedding":[1]},{"embedding":[ null ,2]}]}`: {1},
		`{"model":"a\",null","data":[{"embedding":[1,2],"x":{"y":[3]}},{"embedding":[1,2]},{"embedding":[null` +
			`]}]}`: {2},
		`{"data":[{"embedding":[1,2]}],"error":null}`: nil,
	} {
		if !json.Valid([]byte(body)) {
			t.Fatalf("no JSON: %s", body)
		}
		got := nulls([]byte(body))
		for _, i := range want {
			if !got[i] {
				t.Errorf("%s: found %v, want %v", body, got, want)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: found %v, want %v", body, got, want)
		}
	}
}
