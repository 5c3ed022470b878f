package search

import "github.com/contextd/contextd/internal/code"

// ProjectID returns the project that an index belongs to. A project has an index for each of its roots: that of the
// first root has the project's own id; see code.RootIndexID for the others.
func (p Project) ProjectID() string { return code.ProjectOf(p.ID) }

// DisplayName names the root for people: by its project, and also by its path if the project has several roots.
func (p Project) DisplayName() string {
	if code.IsFurther(p.ID) {
		return p.ProjectID() + " at " + p.Root
	}
	return p.ID
}

// IndexOf returns the id of the index of a project's root, a real path: the existing one, else the one that it will
// get.
func IndexOf(projects []Project, project, root string) string {
	if code.IsFurther(project) {
		return project
	}
	taken := false
	for i := range projects {
		p := &projects[i]
		if p.Root == root && p.ProjectID() == project {
			return p.ID
		}
		taken = taken || p.ID == project && p.Root != ""
	}
	if taken {
		return code.RootIndexID(project, root)
	}
	return project
}

// RootsOf returns the records of all roots of a project.
func RootsOf(projects []Project, project string) (roots []Project) {
	for i := range projects {
		if projects[i].ProjectID() == project {
			roots = append(roots, projects[i])
		}
	}
	return roots
}

// IndexOfRoot returns the id of the latest index of a root, a real path; without one, the root's default id.
func IndexOfRoot(projects []Project, root string) string {
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

// IndexesOfRoot returns the ids of all indexes of a root, a real path; without any, the root's default id.
func IndexesOfRoot(projects []Project, root string) (ids []string) {
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
