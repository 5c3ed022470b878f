package api

import (
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/doctor"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/search"
)

// Where retrieval was too slow, another process turned it off: contexts, receipts, the state of the project and doctor
// say so.
func TestWhereRetrievalIsOffEverythingSaysSo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		a := w.app.Prompts()
		told := func() (until string, reasons []string, ok bool) {
			var p client.Project
			w.get(&p, "GET", "/v1/projects/web", "")
			c := w.knight("")
			var r receipt.Receipt
			w.get(&r, "GET", "/v1/receipts/"+c.ID, "")
			if !slices.Equal(c.Reasons, r.Reasons) {
				t.Errorf("reasons %v, of the receipt %v", c.Reasons, r.Reasons)
			}
			for _, check := range doctor.Examine(t.Context(),
				doctor.Options{
					Backend: w.app.Backend, Embedder: func() (search.Model, error) { return search.Model{}, nil },
				}) {
				if check.Name == "retrieval" {
					ok = check.OK || !strings.Contains(check.Detail, "web (until ")
				}
			}
			return p.RetrievalOffUntil, r.Reasons, ok
		}
		rule := breaker.Default(time.Millisecond)
		if until, reasons, ok := told(); until != "" || len(reasons) > 0 || !ok {
			t.Errorf("before: %q, %v, doctor %v", until, reasons, ok)
		}
		other := breaker.New(rule, a.Store)
		for range 3 {
			if _, err := other.Note(t.Context(), "web", time.Now(), time.Second); err != nil {
				t.Fatal(err)
			}
		}
		a.Breakers = breaker.New(rule, a.Store)
		if until, reasons, ok := told(); until == "" || !slices.Equal(reasons, []string{prompt.RetrievalOff}) || ok {
			t.Errorf("off: %q, %v, doctor %v", until, reasons, ok)
		}
		a.Breakers = breaker.New(breaker.Rule{}, a.Store) // --slow-retrieval off
		if _, reasons, _ := told(); len(reasons) > 0 {
			t.Errorf("never off by the setting: %v", reasons)
		}
	})
}
