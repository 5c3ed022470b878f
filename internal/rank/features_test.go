package rank

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestTheTableOfWeightsIsWhole(t *testing.T) {
	t.Parallel()
	for _, f := range Features() {
		if f.Name == "" || f.Doc == "" {
			t.Errorf("feature %+v lacks a name or a doc", f)
		}
	}
	for text, want := range map[string]string{
		strings.Replace(weightsText, fmt.Sprint("version ", weightsVersion), "version 1",
			1): fmt.Sprint("want version ", weightsVersion),
		weightsText[:len(weightsText)/2]:                          "want",
		strings.Replace(weightsText, "\nwords  ", "\nwords x", 1): "weights",
		weightsText + "more 1 1 1 1 1 1 one too many\n":           "want",
	} {
		if _, err := parseWeights(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a harmed table gives error %v, want one with %q", err, want)
		}
	}
}

func TestShapesOfQuestions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Shape{
		"AssignBerth":                                Name,
		"how the lease is renewed":                   Question,
		"where is the lease renewed":                 Asked,
		"how to fix a stale lease":                   Asked,
		"why does a lease go stale":                  Asked,
		"what happens when the quay is full":         Asked,
		"retry throttling token bucket":              Keywords,
		"import csv custom header":                   Keywords,
		"remove stale leases":                        Task,
		"Retry the upload when the quay is full":     Task,
		"Show progress while removing a large fleet": Task,
		"progress bar rendering":                     Keywords,
		"cancel the pending lease":                   Task,
		"block size of the cipher":                   Question,
		"request routing":                            Keywords,
		"fix overflow in the string parser":          Task,
		"Fixed overflow in the string parser.":       Task,
		"net/http: keepalive for upstreams":          Task,
		"feat(parser)!: one more token":              Task,
		"[cli] colours":                              Keywords,
		"adding a flag for colours":                  Task,
		"Do not renew twice":                         Task,
		"don't renew twice":                          Task,
		"Properly close the socket":                  Task,
		"handling errors of the parser":              Question,
		"do leases run out":                          Asked,
		strings.Repeat("fix the parser ", longWords): Long,
		"":         Question,
		"日本語 の 検索": Keywords,
		"error handling: what happens to a failed read": Question,
	} {
		if got := Parse(text).Shape; got != want {
			t.Errorf("%.40q is %v, want %v", text, got, want)
		}
	}
}

func TestTheWordsOfAQuestionWeighMoreTheEarlierTheyCome(t *testing.T) {
	t.Parallel()
	for text, lean := range map[string]bool{
		"how leases are kept between restarts":    true,
		"where are leases bound between restarts": false,
		"fix Lease of berths":                     false,
		"Lease":                                   false,
	} {
		q := Parse(text)
		first, last := q.words[0].weight, q.words[len(q.words)-1].weight
		if (first > last) != lean || first > leanMost {
			t.Errorf("%q: the first word weighs %v, the last %v", text, first, last)
		}
	}
}

func TestPastChangesRaiseAFile(t *testing.T) {
	t.Parallel()
	q := Parse("fix the stale lease")
	var files []File
	for _, path := range []code.Path{"a/dial.go", "a/port.go"} {
		feats, err := blob.LookupFeatures(blob.EncodeFeatures(file(path, []string{"stale", "lease"})), q.Lookups())
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Path: path, Features: feats})
	}
	files[1].History = .5
	if got := Score(q, code.Stats{Files: 2, Chunks: 2, DF: []int{1, 1, 1}}, files); got[0].File != 1 ||
		got[0].Score <= got[1].Score {
		t.Errorf("%+v", got)
	}
}

func TestSignsAreReadOutOfProse(t *testing.T) {
	t.Parallel()
	q := Parse("panic in `lease.Renew()` at internal/queue/lease.go:42, see C:\\src\\main.cc and HTTPServer, MAX_RETRIES; not e.g. this.")
	var idents []string
	for _, s := range q.idents {
		idents = append(idents, s.Name)
	}
	if got := strings.Join(q.paths, " "); !strings.Contains(got, "internal/queue/lease.go") ||
		!strings.Contains(got, "src/main.cc") {
		t.Errorf("paths %q", got)
	}
	for _, want := range []string{"Renew", "HTTPServer", "MAX_RETRIES"} {
		if !strings.Contains(strings.Join(idents, " "), want) {
			t.Errorf("idents %q lack %q", idents, want)
		}
	}
}

func TestPriorsKnowPathsAndAreLiftedWhenAskedFor(t *testing.T) {
	t.Parallel()
	none := -1
	for path, want := range map[code.Path]int{
		"internal/queue/lease_test.go": testFile, "src/test/java/A.java": testFile, "FooTest.java": testFile,
		"web/app.spec.ts":             testFile,
		"internal/queuetest/suite.go": testFile, "test_lease.py": testFile, "t/conftest.py": testFile,
		"src/latest/a.go": none, "contest.go": none, "attest/sign.go": none, "src/lib.rs": none, "testify.go": none,
		"examples/a/main.go": example, "legacy/a.py": outdated, "src/compat.h": outdated, "src/win/fs.c": platform,
		"os/file_windows.go": platform,
		"window.go":          none, "README.md": prose, "deploy/app.yaml": data,
		"CHANGES": prose, "LICENSE-MIT": prose, "Dockerfile": data, ".editorconfig": data, "web/.eslintrc": data,
		".github/run.go": none, "bin/license_check.rb": none,
		"bin/berth": none,
		// What tests is no test.
		"packages/vitest/src/core.ts": none, "src/_pytest/main.py": none, "nextest/src/lib.rs": none,
		"doctest/parts/runner.cpp": none,
		"net/httptest/server.go":   testFile, "src/commonTest/kotlin/A.kt": testFile,
		"src/Harbour.Tests/A.cs": testFile, "harbour-tests/A.kt": testFile,
		"llvm/unittests/ir.cpp": testFile, "AcceptanceTests/Berth.swift": testFile,
		// A spec is a test where tests are called so.
		"spec/models/berth_spec.rb": testFile, "lua/berth_spec.lua": testFile, "BerthSpec.scala": testFile,
		"internal/spec/berth.go": none,
		"src/parse_specs.rs":     none, "pod_spec.go": none,
		// What lies beside the product at the top is the product deeper down.
		"tools/gen.go": example, "agent/tools/search.py": none, "contrib/completion.sh": example,
		"web/contrib/auth.py": none, "sandbox/try.cs": example,
		"internal/sandbox/root.go": none,
		// Scripts lie beside the source; within it they are what the product works on.
		"script/release.rb": example, "web/scripts/build.js": example, "scripts/src/build.js": example,
		"packages/compiler/src/script/props.ts": none, "lib/ships/scripts.rb": none, "src/scripts/docs/a.ts": example,
	} {
		parts := partsOf(path)
		got := none
		for _, p := range priors {
			if p.is(parts) {
				got = p.feature
				break
			}
		}
		if got != want {
			t.Errorf("%s: prior %d, want %d", path, got, want)
		}
	}
	worker, test := file("queue/worker.go", []string{"lease"}), file("queue/worker_test.go", []string{"lease", "lease"})
	if got := score(t, "lease of a worker", worker, test); got[0].File != 0 {
		t.Error("a test comes before what it tests")
	}
	if got := score(t, "test of the lease", worker, test); got[0].File != 1 {
		t.Error("a question for tests does not find them first")
	}
}

func TestAnOlderCopyComesAfterTheNewer(t *testing.T) {
	t.Parallel()
	for _, paths := range [][2]code.Path{{"api/types.go", "api/v1/types.go"}, {"api/v2/types.go", "api/v1/types.go"}} {
		got := score(t, "types of the lease", file(paths[1], []string{"lease", "lease"}),
			file(paths[0], []string{"lease"}))
		if got[0].File != 1 {
			t.Errorf("%s comes before %s", paths[1], paths[0])
		}
	}
}

func TestOtherFormsOfAWordFindFiles(t *testing.T) {
	t.Parallel()
	for question, path := range map[string]code.Path{
		"authentication of users": "web/auth.go",      // shorter
		"the config":              "web/settings.go",  // another word for it
		"file system access":      "web/fs.go",        // initials
		"reading of names":        "web/nameinfo.go",  // a part of a longer one
		"parse headers":           "web/parse/all.go", // a directory
	} {
		got := score(t, question, file("a/other.go", []string{"x1"}), file(path, []string{"x2"}),
			file("b/more.go", append(strings.Fields(question), "x3")))
		if got[len(got)-1].File == 1 || got[0].File == 0 {
			t.Errorf("%q: %s comes last", question, path)
		}
	}
}

func TestANamedPathComesFirst(t *testing.T) {
	t.Parallel()
	for _, question := range []string{
		"nil pointer in queue/lease.go", "panic at /home/x/src/queue/lease.go:10", "lease.go crashes",
	} {
		got := score(t, question, file("other/panic.go", []string{"nil", "pointer", "panic", "crashes"}),
			file("queue/lease.go", []string{"renew"}))
		if got[0].File != 1 {
			t.Errorf("%q: queue/lease.go is not first", question)
		}
	}
}

func TestTheBestChunksVouchForWhatTheyName(t *testing.T) {
	t.Parallel()
	lease := define(file("a/zz.go", []string{"x1"}), 0, "HarbourLease", code.KindType)
	other := define(file("a/yy.go", []string{"x2"}), 0, "SomethingElse", code.KindType)
	user := file("b/user.go", []string{"renewal", "works", "HarbourLease"})
	got := score(t, "how does renewal work", other, lease, user)
	for _, x := range got {
		value := 0.0
		for _, c := range x.Explanation {
			if c.Feature == "cited" {
				value = c.Value
			}
		}
		if (value > 0) != (x.File == 1) {
			t.Errorf("file %d is cited %v", x.File, value)
		}
	}
}

// questionOfPaper is of a common length.
const questionOfPaper = "how does the worker renew its lease when the queue is slow and another process waits"

func BenchmarkScore100Files(b *testing.B) {
	q := Parse(questionOfPaper)
	ids := q.Lookups()
	stats := code.Stats{Files: 1000, Chunks: 10_000, Lens: [code.NumFields]int64{2_000_000, 500_000, 50_000, 60_000},
		DF: make([]int, len(q.Words))}
	for i := range stats.DF {
		stats.DF[i] = 50 * (i + 1)
	}
	var files []File
	names := strings.Fields(
		"renewLease WorkerPool Queue lease_holder process waitForSlot slowPath other MoreThanEnough parse_reply")
	for i := range 100 {
		var chunks [][]string
		for k := range 10 {
			chunks = append(chunks, append(strings.Fields(questionOfPaper), names[k:]...))
		}
		f := file("pkg/queue/worker_"+strings.Repeat("a", i)+".go", chunks...)
		for k := range f.Chunks {
			for n := range 4 {
				define(f, k, names[(i+k+n)%len(names)]+strings.Repeat("x", (i+n)%7), code.KindFunc)
			}
		}
		packed := blob.EncodeFeatures(f)
		feats, err := blob.LookupFeatures(packed, ids)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, File{Path: f.Path, Features: feats, Blob: string(packed)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Score(q, stats, files)) != len(files) {
			b.Fatal("files lost")
		}
	}
}

func TestOlderCopiesAreOutdatedAndNamesakesAreNot(t *testing.T) {
	t.Parallel()
	paths := []code.Path{"api/v1/lease.go", "api/v2/lease.go", "port/v1/berth.go", "port/berth.go", "core/v1/crane.go",
		"web/crane.go", "v3/dial.go"}
	want := []bool{true, false, true, false, false, false, false}
	var files []*code.File
	for _, p := range paths {
		files = append(files, file(p, []string{"stale"}))
	}
	got := make(map[code.Path]bool)
	for _, x := range score(t, "where is stale kept", files...) {
		for _, c := range x.Explanation {
			got[paths[x.File]] = got[paths[x.File]] || c.Feature == "outdated"
		}
	}
	for i, p := range paths {
		if got[p] != want[i] {
			t.Errorf("%s is outdated: %v, want %v", p, got[p], want[i])
		}
	}
}

func TestAFileStandsWhereMostOfTheAnswerDoes(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]int{"where are stale leases kept": 1, "fix the stale leases": 0} {
		// tasks keep no company
		got := score(t, question, file("packages/alpha/src/lease.go", []string{"stale", "lease"}),
			file("packages/beta/src/lease.go", []string{"stale", "lease"}),
			file("packages/beta/src/berth.go", []string{"lease", "kept"}),
			file("packages/beta/lib/dial.go", []string{"stale", "kept"}))
		if got[0].File != want {
			t.Errorf("%q finds file %d first, want %d", question, got[0].File, want)
		}
	}
}
