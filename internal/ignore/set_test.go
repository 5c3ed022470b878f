package ignore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/secret/secrettest"
)

// TestRuleThatIsASecretIsNotTold: its place is told instead.
func TestRuleThatIsASecretIsNotTold(t *testing.T) {
	t.Parallel()
	text := "ghp_" + secrettest.Token(rand.New(rand.NewPCG(7, 8)), 36, secrettest.Letters+secrettest.Digits)
	rs := New(Compile([]byte("\n"+text+"\n"), false), Git, ".gitignore", 0, false, nil)
	if d := rs.Detail(&rs.rules[0]); strings.Contains(d, text) || d != "the rule at .gitignore:2" {
		t.Errorf("detail = %q", d)
	}
}
