package history

import "testing"

func TestMostSpecificPolicyWins(t *testing.T) {
	t.Parallel()
	p, err := ParsePolicy("web=on, web/docs=off,*/chore=off")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		project, kind string
		on, said      bool
	}{{"web", "", true, true}, {"web", "fix", true, true}, {"web", "docs", false, true}, {"web", "chore", false, true},
		{"api", "docs", false, false}, {"api", "chore", false, true}} {
		if on, said := p.For(c.project, c.kind); on != c.on || said != c.said {
			t.Errorf("%s/%s: %v, %v", c.project, c.kind, on, said)
		}
	}
	if _, said := Policy(nil).For("web", ""); said {
		t.Error("no policy says something")
	}
	for _, bad := range []string{"", "web", "web=maybe", "=on", "web/=on", "web=on,web=off", "web=on,,"} {
		if _, err := ParsePolicy(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}
