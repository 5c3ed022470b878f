package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

// The fields of a message. Others are ignored.
const (
	FieldProject   = "project_id"
	FieldRoot      = "sandbox_root"
	FieldFiles     = "changed_files"
	FieldRequested = "requested_at"
)

// maxName is the greatest length of a root or path in bytes, that of Linux.
const maxName = 4096

// Parse reads a message of the intake. Its error names the field and the value that break a rule. A path "" or ".", and
// more than MaxPaths paths or MaxFilesBytes, ask for a rescan; a requested_at that is no RFC 3339 time counts as
// absent, and the request then has the time of its id, if that is the id of a Redis stream.
func Parse(id string, fields map[string]string) (Request, error) {
	r := Request{ID: id, Project: fields[FieldProject], At: IDTime(id)}
	if _, ok := fields[FieldProject]; !ok {
		return r, errors.New(FieldProject + " is missing")
	}
	if err := code.CheckProjectID(r.Project); err != nil {
		return r, fmt.Errorf("%s: %w", FieldProject, err)
	}
	root, ok := fields[FieldRoot]
	if !ok {
		return r, errors.New(FieldRoot + " is missing")
	}
	if why := badRoot(root); why != "" {
		return r, fmt.Errorf("%s %s: %s", FieldRoot, quote(root), why)
	}
	r.Root = filepath.Clean(root)
	paths, err := parseFiles(fields[FieldFiles])
	if err != nil {
		return r, err
	}
	r.Paths = paths
	if t, err := time.Parse(time.RFC3339Nano, fields[FieldRequested]); err == nil {
		r.At = t.UTC()
	}
	return r, nil
}

func badRoot(root string) string {
	switch {
	case root == "":
		return "it is empty"
	case len(root) > maxName:
		return "it is too long"
	case strings.ContainsRune(root, 0):
		return "it holds a NUL"
	case !filepath.IsAbs(root):
		return "want an absolute path"
	case hasDotDot(filepath.ToSlash(root)):
		return `want a path without ".."`
	case filepath.Dir(filepath.Clean(root)) == filepath.Clean(root):
		return "the whole file system cannot be a project"
	}
	return ""
}

// parseFiles reads changed_files; nil is a rescan.
func parseFiles(text string) ([]code.Path, error) {
	if text == "" || len(text) > MaxFilesBytes {
		return nil, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, fmt.Errorf("%s %s: want a JSON array of paths", FieldFiles, quote(text))
	}
	paths, rescan := make([]code.Path, 0, min(len(raw), MaxPaths)), len(raw) == 0 || len(raw) > MaxPaths
	for _, e := range raw {
		var p string
		if len(e) == 0 || e[0] != '"' || json.Unmarshal(e, &p) != nil {
			return nil, fmt.Errorf("%s %s: want a JSON array of paths", FieldFiles, quote(string(e)))
		}
		if why := badPath(p); why != "" {
			return nil, fmt.Errorf("%s %s: %s", FieldFiles, quote(p), why)
		}
		switch p = path.Clean(p); {
		case p == ".":
			rescan = true
		case !rescan:
			paths = append(paths, p)
		}
	}
	if rescan {
		return nil, nil
	}
	return paths, nil
}

func badPath(p string) string {
	switch {
	case p == "":
		return ""
	case len(p) > maxName:
		return "it is too long"
	case strings.ContainsRune(p, 0):
		return "it holds a NUL"
	case hasDotDot(p):
		return `want a path without ".."`
	case p[0] == '/' || !filepath.IsLocal(filepath.FromSlash(p)):
		return "want a path relative to the root"
	}
	return ""
}

func hasDotDot(p string) bool {
	return slices.Contains(strings.Split(p, "/"), "..")
}

// Fields is the message that Parse reads as r. JSON holds only UTF-8: for a path that is none, its nearest folder that
// is stands in.
func Fields(r Request) map[string]string {
	f := map[string]string{FieldProject: r.Project, FieldRoot: r.Root}
	if len(r.Paths) > 0 && len(r.Paths) <= MaxPaths {
		paths := make([]code.Path, len(r.Paths))
		for i, p := range r.Paths {
			for !utf8.ValidString(p) {
				p = path.Dir(p)
			}
			paths[i] = p
		}
		b, _ := json.Marshal(paths) // strings always encode
		if len(b) <= MaxFilesBytes {
			f[FieldFiles] = string(b)
		}
	}
	if !r.At.IsZero() {
		f[FieldRequested] = r.At.UTC().Format(time.RFC3339Nano)
	}
	return f
}

// quote is s for a message: quoted, at most 80 bytes of it.
func quote(s string) string {
	if len(s) <= 80 {
		return strconv.Quote(s)
	}
	return strconv.Quote(safetext.Cut(s, 80)) + "…"
}

// IDTime is the time in the id of a stream entry, "1526919030474-55"; zero for other ids.
func IDTime(id string) time.Time {
	ms, _, ok := strings.Cut(id, "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil || n <= 0 || n > 1<<47 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
