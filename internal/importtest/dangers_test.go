package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dangers are packages that no part of the product may import, but for the packages named: what they open up stands in
// docs/SECURITY.md.
var dangers = map[string][]string{
	// "git log", so hooks, filters and monitors of a repository cannot run; what "retriever install" was asked to start
	"os/exec":        {"githist", "runner"},
	"plugin":         nil,
	"C":              nil,
	"encoding/gob":   nil, // builds what the data names
	"net/http/pprof": nil, // these two answer on every server of the process
	"expvar":         nil,
	"net/rpc":        nil,
	"compress/gzip":  nil, // what is unpacked may be far larger than it looks
	"compress/flate": nil,
	"compress/zlib":  nil,
	"compress/bzip2": nil,
	"compress/lzw":   nil,
	"archive/tar":    nil,
	"archive/zip":    nil,
	"unsafe":         {"search/local"}, // views of mapped vectors
	// nothing switches checks off: rdb makes the handshake with the settings that go-redis read from the URL
	"crypto/tls": {"rdb"},
}

// starters are functions that start a process without os/exec.
var starters = []string{"StartProcess", "ForkExec", "Exec", "Execve", "PtraceAttach", "CreateProcess",
	"CreateProcessAsUser", "ShellExecute"}

// product reports whether a package, named as in the table, is part of a binary.
func product(pkg string) bool {
	return !strings.HasPrefix(pkg, "tools/") && !strings.HasSuffix(pkg, "test") || pkg == "importtest"
}

func TestNoProcessIsStartedAndNothingDangerousImported(t *testing.T) {
	t.Parallel()
	seen := 0
	for pkg, names := range imports(t) {
		if !product(pkg) {
			continue
		}
		seen++
		for _, name := range names {
			if may, danger := dangers[name]; danger && !slices.Contains(may, pkg) {
				t.Errorf("%s imports %q: see docs/SECURITY.md", pkg, name)
			}
		}
	}
	if seen < 20 {
		t.Fatalf("saw %d packages of the product only", seen)
	}
}

func TestNoSystemCallStartsAProcess(t *testing.T) {
	t.Parallel()
	top, files := filepath.Join("..", ".."), 0
	for _, part := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(top, part), func(file string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(filepath.Join(top, "internal"), filepath.Dir(file))
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
				!product(filepath.ToSlash(rel)) {
				return err
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
			if err != nil {
				return err
			}
			files++
			ast.Inspect(f, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains([]string{"os", "syscall", "unix", "windows"},
					x.Name) && slices.Contains(starters, sel.Sel.Name) {
					t.Errorf("%s calls %s.%s", file, x.Name, sel.Sel.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Fatalf("saw %d files only", files)
	}
}
