//go:build wine && linux

package wine

import (
	"path/filepath"
	"strings"
	"testing"
)

// packages have files by system, or locks, renames and names of their own. skip: tests of what Wine lacks (links, names
// that are no Unicode, renames over an open file) or what takes it minutes, and those that need a git for Windows.
var packages = map[string]string{
	"internal/agents": "", "internal/cli": "", "internal/linefile": "", "internal/owner": "", "internal/queue/sqlite": "", "internal/sqlfile": "",
	"internal/statedir": "", "internal/store/sqlite": "", "internal/syserr": "", "internal/vectors": "", "internal/watch": "",
	"internal/queue/spool":  "TestHostileFilesAreSetAside",
	"internal/search/local": "TestAConfirmationThatIsWrittenOver",
}

func TestPackagesHoldOnWindows(t *testing.T) {
	m := start(t)
	for pkg, skip := range packages {
		t.Run(pkg, func(t *testing.T) {
			exe := filepath.Join(m.bin, strings.ReplaceAll(pkg, "/", "-")+".exe")
			m.build("test", "-c", "-o", exe, "./"+pkg)
			args := []string{exe, "-test.short"}
			if skip != "" {
				args = append(args, "-test.skip", skip)
			}
			if out, errs, err := m.try(filepath.Join("..", "..", "..", pkg), "", m.wine, args...); err != nil {
				t.Errorf("%v\n%s%s", err, out, errs)
			}
		})
	}
	t.Run("internal/sandbox", func(t *testing.T) {
		exe := filepath.Join(m.bin, "sandbox.exe")
		m.build("test", "-c", "-o", exe, "./internal/sandbox")
		if out, errs, err := m.try(filepath.Join("..", "..", "sandbox"), "", m.wine, exe, "-test.short", "-test.run", "Letters|PathAttacks|Root|Within|Reserved"); err != nil {
			t.Errorf("%v\n%s%s", err, out, errs)
		}
	})
}
