//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitDirectoryOutsideTheAllowedRootsIsNotRead(t *testing.T) {
	t.Parallel()
	const head = "1111111111111111111111111111111111111111\n"
	for name, test := range map[string]struct {
		files, links map[string]string // of the allowed folder; TOP is the folder above it
		want         bool
	}{
		"own":                    {files: map[string]string{"web/.git/HEAD": head, "web/.git/objects/x": "", "web/.git/refs/x": ""}, want: true},
		"file to inside":         {files: map[string]string{"web/.git": "gitdir: ../store\n", "store/HEAD": head, "store/objects/x": "", "store/refs/x": ""}, want: true},
		"file to outside":        {files: map[string]string{"web/.git": "gitdir: TOP/out/.git\n"}},
		"link to outside":        {links: map[string]string{"web/.git": "TOP/out/.git"}},
		"file to link":           {files: map[string]string{"web/.git": "gitdir: ../store\n"}, links: map[string]string{"store": "TOP/out/.git"}},
		"common outside":         {files: map[string]string{"web/.git/HEAD": head, "web/.git/commondir": "TOP/out/.git\n"}},
		"objects outside":        {files: map[string]string{"web/.git/HEAD": head, "web/.git/refs/x": ""}, links: map[string]string{"web/.git/objects": "TOP/out/.git/objects"}},
		"exclude outside":        {files: map[string]string{"web/.git/HEAD": head, "web/.git/objects/x": "", "web/.git/refs/x": "", "web/.git/info/x": ""}, links: map[string]string{"web/.git/info/exclude": "TOP/out/.git/HEAD"}},
		"alternates outside":     {files: map[string]string{"web/.git/HEAD": head, "web/.git/refs/x": "", "web/.git/objects/info/alternates": "TOP/out/.git/objects\n"}},
		"alternates inside":      {files: map[string]string{"web/.git/HEAD": head, "web/.git/refs/x": "", "web/.git/objects/info/alternates": "../../../store\n", "store/x": ""}, want: true},
		"alternates that borrow": {files: map[string]string{"web/.git/HEAD": head, "web/.git/refs/x": "", "web/.git/objects/info/alternates": "../../../store\n", "store/info/alternates": "TOP/out/.git/objects\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := write(t, t.TempDir(), map[string]string{"out/.git/HEAD": head, "out/.git/objects/x": "", "out/.git/refs/x": "", "in/web/a.go": "x\n"})
			at := func(text string) string { return replaceTop(text, top) }
			for file, text := range test.files {
				write(t, filepath.Join(top, "in"), map[string]string{file: at(text)})
			}
			for link, to := range test.links {
				must(t, os.Symlink(at(to), filepath.Join(top, "in", link)))
			}
			root := filepath.Join(top, "in", "web")
			if _, err := FindRepository(root); err != nil {
				t.Fatalf("without allowed folders: %v", err)
			}
			if _, err := FindRepositoryIn(root, Allow([]string{filepath.Join(top, "in")})); (err == nil) != test.want {
				t.Errorf("%v, want found %v", err, test.want)
			}
		})
	}
}

func replaceTop(text, top string) string { return strings.ReplaceAll(text, "TOP", top) }
