// Package bundle builds the dashboard from web/src into the files that package web embeds.
//
// It needs neither Node.js nor a network: esbuild is a Go module, Preact lies in web/vendor. The same sources give the
// same files. It is called by the command web and by tests; the binaries have none of it.
package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Files are the built files by name.
type Files map[string][]byte

// hashLength is the number of hex digits of a file's sum in its name.
const hashLength = 12

// Build makes the files of the dashboard from the sources in dir, the folder web of the repository.
func Build(dir string) (Files, error) {
	script, err := Script(dir, filepath.Join("src", "main.tsx"))
	if err != nil {
		return nil, err
	}
	style, err := bundled(dir, filepath.Join("src", "app.css"))
	if err != nil {
		return nil, err
	}
	files := Files{}
	page, err := os.ReadFile(filepath.Join(dir, "src", "index.html"))
	if err != nil {
		return nil, err
	}
	icon, err := os.ReadFile(filepath.Join(dir, "src", "icon.svg"))
	if err != nil {
		return nil, err
	}
	for name, data := range (Files{"app.js": script, "app.css": style, "icon.svg": icon}) {
		sum := sha256.Sum256(data)
		stem, ext, _ := strings.Cut(name, ".")
		hashed := stem + "-" + hex.EncodeToString(sum[:])[:hashLength] + "." + ext
		files[hashed] = data
		page = bytes.ReplaceAll(page, []byte("{{"+name+"}}"), []byte(hashed))
	}
	if bytes.Contains(page, []byte("{{")) {
		return nil, errors.New(`build "index.html": it names a file that is not built`)
	}
	files["index.html"] = page
	if files["licences.txt"], err = os.ReadFile(filepath.Join(dir, "vendor", "preact", "LICENSE")); err != nil {
		return nil, err
	}
	files["licences.txt"] = append([]byte("The dashboard contains Preact 11.2.0 under this licence:\n\n"),
		files["licences.txt"]...)
	return files, nil
}

// Script bundles one script of dir with all that it imports.
func Script(dir, name string) ([]byte, error) { return bundled(dir, name) }

// bundled is one script or style sheet with all that it imports.
func bundled(dir, name string) ([]byte, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	done := api.Build(api.BuildOptions{
		AbsWorkingDir: abs, EntryPoints: []string{name}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		Charset: api.CharsetASCII, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone, TreeShaking: api.TreeShakingTrue, JSX: api.JSXTransform, JSXFactory: "h",
		JSXFragment: "Fragment", TsconfigRaw: "{}", Alias: map[string]string{"preact": "./vendor/preact/preact.mjs",
			"preact/hooks": "./vendor/preact/hooks.mjs"},
	})
	var all []error
	for _, m := range append(done.Errors, done.Warnings...) {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		all = append(all, fmt.Errorf("build %q: %s%s", name, at, m.Text))
	}
	if len(all) > 0 {
		return nil, errors.Join(all...)
	}
	if len(done.OutputFiles) != 1 {
		return nil, fmt.Errorf("build %q: got %d files, want 1", name, len(done.OutputFiles))
	}
	return done.OutputFiles[0].Contents, nil
}
