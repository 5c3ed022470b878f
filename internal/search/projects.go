package search

import "github.com/contextd/contextd/internal/code"

// ProjectOf is the id of the project that was last indexed with a root, a real path; else the root's default id.
func ProjectOf(projects []Project, root string) string {
	var last *Project
	for i := range projects {
		if p := &projects[i]; p.Root == root && (last == nil || p.IndexedAt.After(last.IndexedAt)) {
			last = p
		}
	}
	if last != nil {
		return last.ID
	}
	return code.DefaultProjectID(root)
}
