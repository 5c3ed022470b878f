package retrieve_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestWhyGivesTheReasonOrTheChunks(t *testing.T) {
	b := setup(t, map[string]string{"a/b.go": "package b\n", "x.pem": "x\n", "big.bin": "\x00\x00"})
	b.write(map[string]string{"later.go": "package later\n"})
	target := access.Target{Project: "p", Root: b.root}
	caps := retrieve.Caps{Files: 100, Bytes: 1 << 30}
	for _, tt := range []struct {
		dir, path string
		caps      retrieve.Caps
		indexed   bool
		reason    code.Reason
		shown     string
	}{
		{b.root, "a/b.go", caps, true, "", "a/b.go"},
		{b.root, "./a/b.go", caps, true, "", "./a/b.go"},
		{filepath.Join(b.root, "a"), "b.go", caps, true, "", "a/b.go"},
		{filepath.Join(b.root, "a"), "a/b.go", caps, true, "", "a/b.go"},
		{"/", "a/b.go", caps, true, "", "a/b.go"},
		{"/", filepath.Join(b.root, "a/b.go"), caps, true, "", "a/b.go"},
		{b.root, "x.pem", caps, false, code.SecretName, "x.pem"},
		{b.root, "big.bin", caps, false, code.Binary, "big.bin"},
		{b.root, "none.go", caps, false, code.Missing, "none.go"},
		{b.root, "../x", caps, false, code.OutsideRoot, "../x"},
		{b.root, "later.go", caps, false, "", "later.go"},
		{b.root, "later.go", retrieve.Caps{Files: 1, Bytes: 1 << 30}, false, code.CapFiles, "later.go"},
		{b.root, "later.go", retrieve.Caps{Files: 100, Bytes: 12}, false, code.CapBytes, "later.go"},
	} {
		v, err := b.rt.Why(context.Background(), target, tt.dir, tt.path, tt.caps)
		if err != nil || v.Indexed != tt.indexed || v.Reason != tt.reason || v.Path != tt.shown ||
			(v.Chunks > 0) != tt.indexed {
			t.Errorf("why %q from %q: %+v, %v; want indexed %v, reason %q, path %q", tt.path, tt.dir, v, err,
				tt.indexed, tt.reason, tt.shown)
		}
	}
	v, err := b.rt.Why(context.Background(), access.Target{Project: "none", Root: b.root}, b.root, "a/b.go", caps)
	if err != nil || v.Indexed || v.Detail == "" {
		t.Errorf("without an index: %+v, %v", v, err)
	}
}

func TestAnIndexThatIsBeingMadeIsNotMissing(t *testing.T) {
	b := setup(t, quay())
	missing := retrieve.Request{Text: "x", Target: access.Target{Project: "other", Root: b.root}}
	if r := b.rt.Query(t.Context(), missing, retrieve.IndexBuilding); len(r.Reasons) != 1 ||
		r.Reasons[0] != retrieve.IndexBuilding || r.Status != retrieve.Degraded {
		t.Errorf("%s: %q", r.Status, r.Reasons)
	}
	if r := b.rt.Query(t.Context(), missing).With(retrieve.IndexBuilding); len(r.Reasons) != 1 ||
		r.Reasons[0] != retrieve.IndexBuilding {
		t.Errorf("said later: %q", r.Reasons)
	}
}
