package retrieve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Verdict says whether a path is indexed, and if not, why.
type Verdict struct {
	Path       string      `json:"path"` // relative to the root where it lies inside
	Indexed    bool        `json:"indexed"`
	Reason     code.Reason `json:"reason"` // "" when indexed, or when nothing stands against it but the next refresh
	Detail     string      `json:"detail"` // the rule, its file and line
	Chunks     int         `json:"chunks"`
	Generation int64       `json:"generation"`
	// Companions are files of the index that usually changed along with it.
	Companions []githist.Companion `json:"companions,omitempty"`
}

// Caps are the limits of a project that Why explains.
type Caps struct {
	Files int
	Bytes int64
}

// Why tells what is known of one path. dir is the working directory, which a relative path is taken from if it lies in
// the root. An error means that the index could not be asked.
func (rt *Retriever) Why(ctx context.Context, t access.Target, dir, path string, caps Caps) (Verdict, error) {
	root, err := sandbox.Open(t.Root, rt.opts.Sandbox)
	if err != nil {
		return Verdict{}, err
	}
	defer root.Close()
	rel := relative(root.Path(), dir, path)
	v := Verdict{Path: rel}
	skip := root.Why(ctx, rel)
	v.Reason, v.Detail = skip.Reason, skip.Detail

	snap, err := rt.opts.Index.Open(ctx, t.IndexID())
	switch {
	case errors.Is(err, search.ErrNoProject), err == nil && snap.Project().Root != t.Root:
		if err == nil {
			snap.Close()
		}
		if v.Reason == "" {
			v.Detail = fmt.Sprintf("project %q has no index yet", t.Project)
		}
		return v, nil
	case err != nil:
		return v, fmt.Errorf("open project %q: %w", t.IndexID(), err)
	}
	defer snap.Close()
	p := snap.Project()
	v.Generation = p.Generation
	if v.Reason != "" {
		return v, nil
	}
	e, ok, err := snap.Entry(ctx, filepath.ToSlash(filepath.Clean(rel)))
	switch {
	case err != nil:
		return v, fmt.Errorf("look up %q: %w", rel, err)
	case ok && e.Skip == "":
		v.Indexed, v.Chunks = true, e.Chunks
		v.Companions = companions(ctx, snap, rt.past(ctx, t.IndexID()), e.Path)
	case ok && e.Skip == code.Unreadable && unchanged(root, e):
		v.Reason, v.Detail = e.Skip, e.Detail // its analysis failed: only the index knows
	case p.Files >= caps.Files:
		v.Reason, v.Detail = code.CapFiles,
			fmt.Sprintf("the project holds its greatest number of files, %d", caps.Files)
	case p.Bytes+size(root.Path(), rel) > caps.Bytes:
		v.Reason, v.Detail = code.CapBytes, fmt.Sprintf("the project holds %d bytes of at most %d", p.Bytes, caps.Bytes)
	default:
		v.Detail = "not indexed yet: it comes in with the next refresh"
	}
	return v, nil
}

func unchanged(root *sandbox.Root, e search.Entry) bool {
	data, _, err := root.Read(e.Path)
	return err == nil && code.HashOf(data) == e.Hash
}

func size(root, rel string) int64 {
	info, err := os.Lstat(filepath.Join(root, rel))
	if err != nil {
		return 0
	}
	return info.Size()
}

// relative is path as seen from the root: an absolute one inside of it, and a relative one from the working directory
// if that lies in the root, else from the root. What leads out stays as it is for the sandbox to refuse.
func relative(root, dir, path string) string {
	if !filepath.IsAbs(path) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real == root || !strings.HasPrefix(real, root+string(filepath.Separator)) {
			return path
		}
		fromDir := filepath.Join(real, path)
		if _, err := os.Lstat(fromDir); err != nil {
			if _, err := os.Lstat(filepath.Join(root, path)); err == nil {
				return path
			}
		}
		path = fromDir
	}
	if rel, err := filepath.Rel(root, path); err == nil && rel != ".." &&
		!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
}
