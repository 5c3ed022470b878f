package deploy

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A target that is no file has to be .PHONY: a folder of its name would keep it from running, as dist/ did for the
// second release.
func TestMakeHelpListsEveryTargetAndAllArePhony(t *testing.T) {
	t.Parallel()
	text := read(t, "..", "Makefile")
	m := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no .PHONY")
	}
	phony := strings.Fields(m[1])
	makes, err := exec.LookPath("make")
	if err != nil {
		t.Skip("no make here")
	}
	cmd := exec.Command(makes, "--no-print-directory", "help")
	cmd.Dir = ".."
	help, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range regexp.MustCompile(`(?m)^([A-Za-z0-9_-]+):(.*)$`).FindAllStringSubmatch(text, -1) {
		if seen++; !slices.Contains(phony, m[1]) {
			t.Errorf("%s is not .PHONY", m[1])
		}
		if strings.Contains(m[2], " ## ") && !regexp.MustCompile(`(?m)^  `+regexp.QuoteMeta(m[1])+` `).Match(help) {
			t.Errorf("help does not list %s", m[1])
		}
	}
	if seen < 15 {
		t.Errorf("%d targets", seen)
	}
}

func TestMakeSaysWhichFolderItWants(t *testing.T) {
	t.Parallel()
	makes, err := exec.LookPath("make")
	if err != nil {
		t.Skip("no make here")
	}
	for target, variable := range map[string]string{"accept": "ACCEPT", "bench-quality": "BENCH"} {
		cmd := exec.Command(makes, "--no-print-directory", target, variable+"="+filepath.Join(t.TempDir(), "gone"))
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "want "+variable+"=") {
			t.Errorf("%s: %v, %s", target, err, out)
		}
	}
}
