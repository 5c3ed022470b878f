package presence

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDaemonThatDiedIsNotAlive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"left behind": mustJSON(t, Daemon{Owner: owner.Self(), Backend: "embedded", Roots: []string{"/srv"}}),
		"a dead process": mustJSON(t, Daemon{Owner: strings.Replace(owner.Self(), "|", "|other-boot", 1),
			Backend: "embedded"}),
		"damaged": "{",
	} {
		if err := os.WriteFile(filepath.Join(dir, infoFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if d, ok := Holder(dir); ok {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestALivingDaemonOfAnotherPidNamespaceIsSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for what, part := range map[string]int{"another boot": 1, "another pid namespace": 4} {
		name := strings.Split(owner.Self(), "|")
		name[part], name[3] = "1", "1" // by pid and start time alone it would be dead
		d := Self("embedded", []string{"/srv"}, nil)
		d.Owner = strings.Join(name, "|")
		hold, err := Hold(t.Context(), dir, d)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := Holder(dir); !ok {
			t.Errorf("%s: it is not seen", what)
		}
		hold.Release()
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
