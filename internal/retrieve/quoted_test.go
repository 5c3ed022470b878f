package retrieve_test

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/gates"
)

// messages has one place for each message, and files that are about the same things.
var messages = map[string]string{
	"quay/moor.go":      "package quay\n\n// Moor ties a ship to a berth.\nfunc Moor(ship string, berth int) error {\n\tif berth > 9 {\n\t\treturn fmt.Errorf(\"moor %q: berth %d lies behind the last of the quay\", ship, berth)\n\t}\n\treturn nil\n}\n",
	"quay/berth.go":     "package quay\n\n// Berth is a place of the quay where a ship lies. The last berth lies behind the crane.\ntype Berth struct{ Ship string }\n\n// Last is the last berth.\nfunc Last(berths []Berth) Berth { return berths[len(berths)-1] }\n",
	"quay/moor_test.go": "package quay\n\nfunc TestMoor(t *testing.T) {\n\twant := `moor \"Ada\": berth 12 lies behind the last of the quay`\n\tcheck(t, Moor(\"Ada\", 12), want)\n}\n",
	"quay/storm.go":     "package quay\n\n// Storm closes the quay.\nfunc Storm() {\n\tpanic(\"the pump of the lock has run dry\")\n}\n",
	"docs/quay.md":      "# Quay\n\nA ship that lies behind the last berth of the quay must be moored again.\n",
}

func TestTextThatStandsInAFileIsAStrongAnswer(t *testing.T) {
	b := setup(t, messages)
	b.quotes(t)
	b.onRedis(t)
	b.quotes(t)
}

func (b *bench) quotes(t *testing.T) {
	t.Helper()
	for question, want := range map[string]string{
		"berth 12 lies behind the last of the quay":                                              "quay/moor.go",
		`error: moor "Ada": berth 12 lies behind the last of the quay`:                           "quay/moor.go",
		"the service stops with\nmoor Ada: berth 12 lies behind the last of the quay\nand hangs": "quay/moor.go",
		"the pump of the lock has run dry":                                                       "quay/storm.go",
	} {
		reply := b.ask(question)
		if len(reply.Results) == 0 || reply.Results[0].Path != want || reply.Results[0].Grade != gates.Strong {
			t.Errorf("%q is answered by %v (%+v), want %s, strong", question, paths(reply), reply.Reasons, want)
			continue
		}
		if r := reply.Results[0]; want == "quay/moor.go" && !strings.Contains(r.Snippet, "lies behind") {
			t.Errorf("%q is answered by %q, want the line that is quoted", question, r.Snippet)
		}
	}
}

func TestATestThatQuotesComesBehindWhatItQuotes(t *testing.T) {
	b := setup(t, messages)
	got := paths(b.ask(`moor "Ada": berth 12 lies behind the last of the quay`))
	if len(got) == 0 || got[0] != "quay/moor.go" {
		t.Errorf("answered by %v, want quay/moor.go first", got)
	}
}

func TestAnEditedFileIsQuotedAsItIsNow(t *testing.T) {
	b := setup(t, messages)
	b.write(map[string]string{
		"quay/storm.go": "package quay\n\n// Storm closes the quay.\nfunc Storm() {\n\tpanic(\"no ship may leave before the flag is down\")\n}\n"})
	reply := b.ask("Storm: no ship may leave before the flag is down")
	if len(reply.Results) == 0 || reply.Results[0].Path != "quay/storm.go" || reply.Results[0].Grade != gates.Strong {
		t.Errorf("answered by %v, want quay/storm.go, strong", paths(reply))
	}
}
