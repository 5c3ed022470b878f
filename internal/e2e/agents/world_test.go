//go:build agents && unix

package agents

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// callTime bounds one run of a foreign client.
const callTime = 2 * time.Minute

var bin string // folder of the binaries

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agents")
	if err == nil {
		defer os.RemoveAll(dir)
		bin = dir
		err = e2etest.Build(dir, false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	return m.Run()
}

// World is a home, a state directory and a project of a test's own.
type World struct {
	Home, State, Project string
	Path                 []string // put first on PATH
	Env                  []string
}

// newWorld is a world whose project is a repository with one file, shop/cart.go, that defines AddToCart.
func newWorld(t *testing.T) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Home: filepath.Join(dir, "home"), State: filepath.Join(dir, "state"),
		Project: filepath.Join(dir, "shop")}
	for _, d := range []string{w.Home, filepath.Join(w.Project, ".git"), filepath.Join(w.Project, "shop")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	source := "package shop\n\n// AddToCart puts a product into the cart of a customer and reserves it in the stock.\nfunc AddToCart(customer, product string) error {\n\treturn reserve(product)\n}\n"
	if err := os.WriteFile(filepath.Join(w.Project, "shop", "cart.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// retriever is the path of the binary.
func retriever() string { return filepath.Join(bin, "retriever") }

// environ is the whole environment of what runs in this world.
func (w *World) environ() []string {
	path := append(append([]string{}, w.Path...), os.Getenv("PATH"))
	return append([]string{"HOME=" + w.Home, "PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"TMPDIR=" + os.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"CONTEXTD_STATE_DIR=" + w.State, "CONTEXTD_REDIS=off", "NO_COLOR=1", "CI=1"}, w.Env...)
}

// run runs a program in the project to its end: what it wrote, and how it ended.
func (w *World) run(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, complaints strings.Builder
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.Project, w.environ(), &out, &complaints
	err = cmd.Run()
	return out.String(), complaints.String(), err
}
