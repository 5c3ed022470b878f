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

// ProjectsOf are the ids of all projects with a root, a real path; the root's default id if there is none.
func ProjectsOf(projects []Project, root string) (ids []string) {
	for i := range projects {
		if projects[i].Root == root {
			ids = append(ids, projects[i].ID)
		}
	}
	if len(ids) == 0 {
		ids = append(ids, code.DefaultProjectID(root))
	}
	return ids
}
