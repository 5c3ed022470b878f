package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// vendored are the folders of code that is in the binaries and comes from no Go module: the dashboard's.
var vendored = []module{{Path: "preact", Version: "11.2.0", Dir: filepath.Join("web", "vendor", "preact")}}

// vendoredNotices writes their licences, as [notice] does those of modules. It is run in the top folder of the
// repository.
func vendoredNotices(b *bytes.Buffer) error {
	readme, err := os.ReadFile(filepath.Join("web", "vendor", "README.md"))
	if err != nil {
		return err
	}
	for _, m := range vendored {
		if want := m.Path + " " + m.Version; !strings.Contains(string(readme), want) {
			return fmt.Errorf("find the licence of %q: web/vendor/README.md names another version", want)
		}
		if err := notice(b, m); err != nil {
			return err
		}
	}
	return nil
}
