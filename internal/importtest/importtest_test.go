package importtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/contextd/contextd/"

// imports reads the non-test imports of all packages of the module, by the names that the table uses.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	top := filepath.Join("..", "..")
	found := map[string][]string{}
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); file != top && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" ||
				name == "dist") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(rel), "internal/")
		found[pkg] = append(found[pkg], "")
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[pkg] = append(found[pkg], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, names := range found {
		slices.Sort(names)
		found[pkg] = slices.Compact(names)[1:]
	}
	return found
}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	found := imports(t)
	if len(found) < 10 {
		t.Fatalf("saw %d packages only: is this the whole module?", len(found))
	}
	edges := 0
	for pkg, names := range found {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.pkg == pkg })
		if i < 0 {
			t.Errorf("package %q stands in no row of the table", pkg)
			continue
		}
		r := rules[i]
		may := strings.Fields(r.may)
		for _, name := range names {
			inner, ours := strings.CutPrefix(name, module)
			inner = strings.TrimPrefix(inner, "internal/")
			switch {
			case ours && !slices.Contains(may, inner) && r.may != "*":
				t.Errorf("%s imports %s, which its row does not allow", pkg, inner)
			case ours:
				edges++
			case r.pure && slices.ContainsFunc(io, func(p string) bool {
				return name == p || strings.HasPrefix(name, p+"/")
			}):
				t.Errorf("%s is pure but imports %q", pkg, name)
			}
		}
	}
	t.Logf("saw %d packages and %d imports between them", len(found), edges)
}

func TestPurePackagesUsePureOnes(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		for _, name := range strings.Fields(r.may) {
			i := slices.IndexFunc(rules, func(r rule) bool { return r.pkg == name })
			if i < 0 && name != "*" {
				t.Errorf("the row of %s names %q, which has no row", r.pkg, name)
			} else if r.pure && !rules[i].pure {
				t.Errorf("%s is pure but may import %s, which is not", r.pkg, name)
			}
		}
	}
}

func TestHelpersOfTestsStayInTests(t *testing.T) {
	t.Parallel()
	for pkg, names := range imports(t) {
		for _, name := range names {
			if inner, ours := strings.CutPrefix(name, module); ours && strings.HasSuffix(path.Base(inner), "test") &&
				!strings.HasPrefix(pkg, "tools/") &&
				!strings.HasSuffix(pkg, "test") {
				t.Errorf("%s imports %s, which is for tests", pkg, inner)
			}
		}
	}
}
