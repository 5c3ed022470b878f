package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/profile"
)

// A profile is listed, shown, changed and sent along: an agent of a kind that nobody knows is compiled by it.
func TestAProfileIsShownChangedAndSentWithARequest(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		var list struct{ Profiles []profile.Profile }
		w.get(&list, "GET", "/v1/profiles", "")
		if len(list.Profiles) != len(profile.Builtin().IDs()) || list.Profiles[0].ID != "architect" {
			t.Errorf("profiles %+v", list.Profiles)
		}
		var p profile.Profile
		w.get(&p, "GET", "/v1/profiles/knight", "")
		p.SystemPrompt, p.Sections = "You are the pilot.",
			[]profile.Section{{Name: "Order", Source: profile.SourceTask}, {Name: "Places", Source: profile.SourceCode}}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		c := w.knight(`,"profile":` + string(data))
		if text := textOf(c); !strings.HasPrefix(text, "You are the pilot.") ||
			!strings.Contains(text, "## Places\n") || c.Fingerprint.Profile != "knight-override" {
			t.Errorf("the context is not that of the profile sent: %s", text)
		}
		var pilot struct {
			Sections []struct{ Name string }
		}
		w.get(&pilot, "POST", "/v1/context",
			`{"project":"web","agent_kind":"pilot","deadline_ms":10000,"task":{"id":"t","title":"Steer"},"profile":{"sections":[{"name":"Course","source":"task"}]}}`)
		if len(pilot.Sections) != 1 || pilot.Sections[0].Name != "Course" {
			t.Errorf("sections of a new kind of agent: %+v", pilot)
		}
		w.refused(notFound, "GET", "/v1/profiles/jester", "")
		w.refused(invalidRequest, "POST", "/v1/context", `{"project":"web","query":"x","profile":{"min_importance":3}}`)
		w.refused(invalidRequest, "POST", "/v1/context", `{"project":"web","query":"x","profile":3}`)
	})
}
