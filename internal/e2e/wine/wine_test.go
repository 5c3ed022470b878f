//go:build wine && linux

package wine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oldest is the first version of Wine that has what Go's programs need: bcryptprimitives.dll, and the removal of files
// by their handle. Debian 13 has 10.0, Debian 12 has 8.0.
const oldest = 10

// machine is a Windows as Wine makes it.
type machine struct {
	*testing.T
	wine, bin, dir string // the program; the folder of the binaries; an empty folder
	prefix         string
}

// start makes one, or skips the test where there is no Wine that can. The variable WINE names another than that on PATH.
func start(t *testing.T) *machine {
	t.Helper()
	m := &machine{T: t, wine: os.Getenv("WINE"), bin: t.TempDir(), dir: t.TempDir()}
	if m.wine == "" {
		m.wine = "wine"
	}
	path, err := exec.LookPath(m.wine)
	if err != nil {
		t.Skip("SKIPPED, NOT TESTED: no Wine: apt-get install wine wine64, or set WINE")
	}
	m.wine = path
	prefix, err := os.MkdirTemp("", "wine-")
	if err != nil {
		t.Fatal(err)
	}
	m.prefix = filepath.Join(prefix, "c")
	t.Cleanup(func() {
		stop := exec.Command(m.wine, "wineboot", "-k")
		stop.Env = m.env()
		_ = stop.Run()
		_ = os.RemoveAll(prefix)
	})
	said, _, _ := m.try("", "", m.wine, "--version")
	v := regexp.MustCompile(`wine-(\d+)`).FindStringSubmatch(said)
	if len(v) == 0 {
		t.Skipf("SKIPPED, NOT TESTED: %s tells no version: %q", m.wine, said)
	}
	if n, _ := strconv.Atoi(v[1]); n < oldest {
		t.Skipf("SKIPPED, NOT TESTED: Wine %s, want %d or later (Debian 13)", v[1], oldest)
	}
	_, _, _ = m.try("", "", m.wine, "wineboot", "-i") // tells of missing parts for 32 bits and goes on
	m.build("build", "-o", m.bin+"/", "./cmd/...")
	return m
}

func (m *machine) env() []string {
	return append(os.Environ(), "WINEPREFIX="+m.prefix, "WINEDEBUG=-all", "WINEARCH=win64", "REDIS_URL=")
}

// build runs the go command for Windows at the top of the repository.
func (m *machine) build(args ...string) {
	m.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// try runs a program in dir.
func (m *machine) try(dir, input, name string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(m.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, m.env(), strings.NewReader(input)
	cmd.WaitDelay = time.Second // Wine's own processes hold the pipes
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err = cmd.Run(); errors.Is(err, exec.ErrWaitDelay) { // it ended well
		err = nil
	}
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), errs.String(), err
}

// run runs a binary of ours in dir, which may fail, and gives all it says.
func (m *machine) run(dir, tool string, args ...string) string {
	m.Helper()
	out, errs, _ := m.try(dir, "", m.wine, append([]string{filepath.Join(m.bin, tool+".exe")}, args...)...)
	return out + errs
}

// says runs a binary until its text has want, for a minute at most; without says that it must not have not.
func (m *machine) says(want, not, dir, tool string, args ...string) {
	m.Helper()
	var got string
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		got = m.run(dir, tool, args...)
		if strings.Contains(got, want) && (not == "" || !strings.Contains(got, not)) {
			return
		}
		if time.Now().After(end) {
			m.Errorf("%s %q: want %q, not %q, got:\n%s", tool, args, want, not, got)
			return
		}
	}
}

// native is how Windows names a path of ours.
func native(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }
