package rank

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func marked(t *testing.T, question string, feature string, paths ...code.Path) string {
	t.Helper()
	var files []*code.File
	for _, p := range paths {
		files = append(files, file(p, []string{"lease"}))
	}
	var out []string
	for _, x := range score(t, question, files...) {
		for _, c := range x.Explanation {
			if c.Feature == feature && c.Value == 1 {
				out = append(out, paths[x.File])
			}
		}
	}
	return strings.Join(out, " ")
}

func TestOfParallelCopiesTheOlderOnesAreOutdated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, paths, want string }{
		{"lease of a berth", "api/v9/berth.go api/v10/berth.go", "api/v9/berth.go"},
		{"lease of a berth", "api/v10/berth.go api/berth.go", "api/v10/berth.go"},
		{"lease of a berth", "v1/api/v2/berth.go v2/api/v2/berth.go", "v1/api/v2/berth.go"},
		{"lease of a berth", "src/berth_v3.go src/berth_v4.go", "src/berth_v3.go"},
		{"lease of a berth", "src/BerthV3.java src/BerthV12.java", "src/BerthV3.java"},
		{"lease of a berth", "src/V3Berth.java src/V4Berth.java", "src/V3Berth.java"},
		{"lease of a berth", "src/berth-v1.js src/berth-v2.js", "src/berth-v1.js"},
		{"lease of a berth", "src/berth.v1.js src/berth.v2.js", "src/berth.v1.js"},
		{"lease of a berth", "dock-v1/berth.py dock-v2/berth.py", "dock-v1/berth.py"},
		// No copies: other folders, other names, no version, versions of a protocol, kinds that are called by a number.
		{"lease of a berth", "a/berth_v3.go b/berth_v4.go", ""},
		{"lease of a berth", "src/berth_v3.go src/quay_v4.go", ""},
		{"lease of a berth", "src/berth.go src/berth_v4.go", ""},
		{"lease of a berth", "src/berthv3.go src/berthv4.go", ""},
		{"lease of a berth", "src/addr_v4.go src/addr_v6.go", ""},
		{"lease of a berth", "src/addr_v4.go src/addr_v5.go src/addr_v6.go", "src/addr_v4.go src/addr_v5.go"},
		{"lease of a berth", "seal/v1.go seal/v4.go", ""},
		{"lease of a berth", "src/berth_v2023.go src/berth_v2024.go", ""},
		{"lease of a berth", "api/v1beta1/berth.go api/v1beta2/berth.go", ""},
		// The question names the version.
		{"lease of berth v3", "src/berth_v3.go src/berth_v4.go", ""},
		{"lease in version 3", "src/berth_v2.go src/berth_v3.go src/berth_v4.go", "src/berth_v2.go"},
		{"lease of BerthV12", "src/BerthV12.java src/BerthV13.java", ""},
		{"lease for 3 days", "src/berth_v3.go src/berth_v4.go", "src/berth_v3.go"},
		{"legacy lease", "src/berth_v3.go src/berth_v4.go", ""},
	} {
		if got := marked(t, tt.question, "outdated", strings.Fields(tt.paths)...); got != tt.want {
			t.Errorf("%q of %s: outdated are %q, want %q", tt.question, tt.paths, got, tt.want)
		}
	}
}

func TestAPathOfManyVersionsIsReadInBounds(t *testing.T) {
	t.Parallel()
	if got := len(copies(strings.Repeat("v1/", 4000) + "x_v1_v2_v3.go")); got != maxCopies {
		t.Errorf("%d copies of one path, want %d", got, maxCopies)
	}
	for _, p := range []string{"", "/", "v", "v1", "v/v1", "//v1//", "v1.", "V9\xff/é_v1é"} {
		copies(p)
	}
}

func TestThePlainFileLeadsAmongTheParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, first, paths string }{
		{"dock crane", "src/DockCrane.cs", "src/DockCrane.Async.cs src/DockCrane.cs src/quay.cs"},
		{"async dock crane", "src/DockCrane.Async.cs", "src/DockCrane.Async.cs src/DockCrane.cs src/quay.cs"},
		{"dock crane", "src/DockCrane.cs", "src/DockCrane.Cargo.Heavy.cs src/DockCrane.cs src/quay.cs"},
	} {
		var files []*code.File
		paths := strings.Fields(tt.paths)
		for _, p := range paths {
			files = append(files, file(p, append(strings.Fields(tt.question), p)))
		}
		if got := score(t, tt.question, files...); paths[got[0].File] != tt.first {
			t.Errorf("%q: %s is first, want %s", tt.question, paths[got[0].File], tt.first)
		}
	}
	half := func(paths ...string) float64 {
		got := score(t, "dock crane", file(paths[0], []string{"dock", "crane"}),
			file(paths[1], []string{"dock", "crane"}))
		for _, x := range got {
			for _, c := range x.Explanation {
				if x.File == 0 && c.Feature == "stem_exact" {
					return c.Value
				}
			}
		}
		return 0
	}
	if a, b, c := half("src/DockCrane.Async.cs", "src/DockCrane.cs"),
		half("src/DockCrane.Async.cs", "lib/DockCrane.cs"),
		half("src/DockCrane.Async.cs", "src/DockCrane.h"); a != .5 || b != 1 || c != 1 {
		t.Errorf("stem_exact of a part is %v beside the plain file, %v and %v beside others", a, b, c)
	}
}
