package textfile

import (
	"fmt"
	"path"
	"strings"
)

// Lines of this mean length, in bytes, in a file at least so large were not written by hand.
const (
	minifiedMean  = 300
	minifiedBytes = 2000
)

// packed are the extensions of files that tools write without line ends.
var packed = extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".css", ".json", ".map", ".svg", ".html", ".htm",
	".xml", ".geojson")

// minified is the rule by which a file is written for machines: its name, or the mean length of its lines.
func minified(name, text string) string {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	if stem := strings.TrimSuffix(base, ext); packed[ext] &&
		(strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min")) {
		return fmt.Sprintf("name %q", path.Base(name))
	}
	if !packed[ext] || len(text) < minifiedBytes {
		return ""
	}
	if lines := strings.Count(text, "\n") + 1; len(text)/lines > minifiedMean {
		return fmt.Sprintf("%d bytes a line", len(text)/lines)
	}
	return ""
}
