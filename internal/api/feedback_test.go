package api

import (
	"slices"
	"testing"
)

func TestFeedbackOnAContextWithoutPiecesSaysWhatItMissed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		for name, body := range map[string]string{
			"nothing found": `{"project":"web","query":"zyxwvut qqqplumbus"}`,
			"greeting":      `{"project":"web","query":"hello"}`,
		} {
			var c struct {
				ID     string
				Status string
			}
			if w.get(&c, "POST", "/v1/context", body); c.Status == "ok" {
				t.Fatalf("%s: %+v", name, c)
			}
			var report struct {
				Shown  int
				Missed []string
			}
			for range 2 { // twice counts once
				w.get(&report, "POST", "/v1/context/"+c.ID+"/feedback",
					`{"opened":["src/plumbus.go"],"searched":["plumbus"]}`)
				if report.Shown != 0 || !slices.Equal(report.Missed, []string{"plumbus", "src/plumbus.go"}) {
					t.Errorf("%s: %+v", name, report)
				}
			}
			var r struct{ Outcome struct{ Missed []string } }
			if w.get(&r, "GET", "/v1/receipts/"+c.ID, ""); len(r.Outcome.Missed) != 2 {
				t.Errorf("%s: outcome of the receipt %+v", name, r)
			}
		}
	})
}
