package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

var (
	testDirs = lexical.WordSet(`test tests __tests__ testing testdata fixtures fixture bench benchmark benchmarks benches fuzz fuzzing mocks
		__mocks__ test-utils e2e unittest unittests integrationtest integrationtests functionaltest functionaltests acceptancetests
		systemtests smoketests uitests apitests perftest perftests stresstest stresstests regtest regtests regress subtests testsuite conformance`)
	testSuffixes = []string{"test", "tests", "testcase", "suite", "bench", "benchmark", "benchmarks", "mock", "mocks"}
	// In these languages tests are called specs; in others a spec is a specification.
	specTypes      = lexical.WordSet(`.rb .cr .lua .moon .fnl .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .coffee .php .scala .hs .elm .groovy .kt .swift .cs .fs`)
	specDirs       = lexical.WordSet(`spec specs`)
	specSuffixes   = []string{"spec", "specs"}
	testLookalikes = lexical.WordSet(`latest contest attest protest fastest greatest`)
)

// IsTest reports whether a file is a test, or data or help of tests, by the usual names of folders and files in its
// language.
func IsTest(p code.Path) bool { return isTest(partsOf(p)) }

func isTest(p *pathParts) bool {
	specs := specTypes[p.ext]
	if p.inDir(testDirs) || specs && p.inDir(specDirs) {
		return true
	}
	for i, d := range p.dirs {
		name := p.place[i]
		d = strings.TrimSuffix(d, "s")
		n := len(d) - len("test")
		if n <= 0 || n >= len(name) || d[n:] != "test" {
			continue
		}
		if apart(name, n) || p.ext == ".go" && n > 1 && !testLookalikes[d] { // httptest, but not vitest
			return true
		}
	}
	if len(p.stem) == 0 {
		return false
	}
	if first := p.stem[0]; first == "conftest" || len(p.stem) > 1 &&
		(first == "test" || first == "tests" || first == "bench") {
		return true
	}
	return p.endsIn(testSuffixes) || specs && p.endsIn(specSuffixes)
}

// endsIn reports whether the last word of a stem of several is one of words.
func (p *pathParts) endsIn(words []string) bool {
	for _, s := range words {
		if len(p.stem) > 1 && p.stem[len(p.stem)-1] == s {
			return true
		}
		if n := len(p.camel) - len(s); n > 0 && strings.EqualFold(p.camel[n:], s) && apart(p.camel, n) {
			return true
		}
	}
	return false
}

// apart reports whether a word of its own begins at n in a name: after what is no letter, or by its capital, as in
// FooTest.
func apart(name string, n int) bool {
	before := name[n-1] | 0x20
	return before < 'a' || before > 'z' || name[n] < 'a' && name[n-1] >= 'a'
}
