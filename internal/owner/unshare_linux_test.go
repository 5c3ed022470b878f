package owner

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const askEnv = "CONTEXTD_TEST_OWNER"

// TestMain answers, in another pid namespace, what a process there thinks of the one that started it.
func TestMain(m *testing.M) {
	if name := os.Getenv(askEnv); name != "" {
		answer := "lives"
		if Dead(name) {
			answer = "dead"
		}
		_, _ = os.Stdout.WriteString(answer + " " + Self() + "\n")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProcessesOfTwoPidNamespacesDoNotTakeEachOtherForDead(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"with its own /proc":         {"--pid", "--fork", "--mount-proc"},
		"with the /proc of its host": {"--pid", "--fork"},
	} {
		if err := exec.Command("unshare", append(args, "true")...).Run(); err != nil {
			t.Skipf("no pid namespace can be made here: %v", err)
		}
		cmd := exec.Command("unshare", append(args, exe)...)
		cmd.Env = append(os.Environ(), askEnv+"="+Self())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		verdict, other, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if verdict != "lives" {
			t.Errorf("%s: it takes the process outside for dead", name)
		}
		// Its process has ended by now, but that is not for this namespace to know.
		if len(strings.Split(other, "|")) != parts || Dead(other) {
			t.Errorf("%s: %q is taken for dead from outside", name, other)
		}
	}
}
