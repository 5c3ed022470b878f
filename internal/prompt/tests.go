package prompt

import (
	"path"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// Limits of the tests that are shown beside the files that a task names.
const (
	maxTested = 5 // files whose tests are looked for
	testsEach = 2 // tests of one file
)

// testNames are the names of tests beside X, in all languages. They are looked for among files of X's own family.
const testNames = `{__tests__/X,tests/X,test/X,test_X,test-X,Test_X,TestX,X{_test,_tests,-test,.test,.tests,_spec,-spec,.spec,_unittest,Test,Tests,Spec,Specs,IT}}`

// families are extensions whose tests may have another of them, few enough for search.CheckGlob; a test has that of its
// file in all other languages.
var families = [][]string{
	{".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte"}, {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp"},
	{".ex", ".exs"}, {".java", ".kt", ".groovy", ".scala"},
}

// testPattern is a name that tests of a file have; "" for a file without a name or extension, and for a test.
func testPattern(file string) string {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(path.Base(file), ext)
	if stem == "" || ext == "" || rank.IsTest(file) {
		return ""
	}
	exts := []string{ext}
	for _, f := range families {
		if slices.Contains(f, ext) {
			exts = f
		}
	}
	if ext == ".go" { // in the folder of its file, under one name
		return search.QuoteGlob(path.Join(path.Dir(file), stem+"_test.go"))
	}
	return strings.ReplaceAll(testNames, "X", search.QuoteGlob(stem)) + "{" +
		search.QuoteGlob(strings.Join(exts, ",")) + "}"
}

// filesWithTests are the files that the task names whose tests belong into the context: the first ones, for an agent
// that prefers tests.
func (j *job) filesWithTests() (files []string) {
	if !slices.Contains(j.policy.Preferred, kindTest) || !j.policy.Admits(kindTest) {
		return nil
	}
	for _, f := range j.policy.Files() {
		if f = j.relative(f); f != "" && len(files) < maxTested && testPattern(f) != "" {
			files = append(files, f)
		}
	}
	return files
}

// testGlobs are patterns of the tests of the files that the task names.
func (j *job) testGlobs() (globs []string) {
	for _, f := range j.filesWithTests() {
		if g := "**/" + testPattern(f); search.CheckGlob(g) == nil {
			globs = append(globs, g)
		}
	}
	return globs
}

// namedResults are the results of files that the task names, and of the tests of these: of each file the nearest to it.
func (j *job) namedResults() []retrieve.Result {
	results := j.found.code.Named
	tests, keep := map[string]bool{}, map[string]bool{}
	for _, f := range j.filesWithTests() {
		var of []string
		for i := range results {
			if p := results[i].Path; !slices.Contains(of, p) && !j.namesFile(p) && !j.isAsked(p) && isTestOf(p, f) {
				of, tests[p] = append(of, p), true
			}
		}
		slices.SortStableFunc(of, func(a, b string) int { return sharedFolders(b, f) - sharedFolders(a, f) })
		for _, p := range of[:min(len(of), testsEach)] {
			keep[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(results), func(r retrieve.Result) bool {
		return tests[r.Path] && !keep[r.Path]
	})
}

// isTestOf reports whether a path is one that a test of a file may have.
func isTestOf(test, file string) bool {
	return rank.IsTest(test) && search.NewGlobs([]string{"**/" + testPattern(file)}).Match(test)
}

// sharedFolders is how many folders two paths have in common.
func sharedFolders(a, b string) (n int) {
	others := strings.Split(path.Dir(b), "/")
	for d := range strings.SplitSeq(path.Dir(a), "/") {
		if slices.Contains(others, d) {
			n++
		}
	}
	return n
}
