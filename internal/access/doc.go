// Package access finds the project that a question means, and says whether its root may be read.
//
// A client names a project, a root, both, or only the folder it works in ([Where]). [Resolve] makes a [Target] of that
// among the projects that are indexed; it reads no file of them. A [Finder] adds what the settings allow: with roots
// that are named, whatever lies outside is refused with one error, which tells neither what is there nor where links
// lead; a strict one without such roots, as servers have it, reads what is indexed and nothing else.
//
// What is found here is a permission to open, not a handle: package sandbox checks again as it opens the root
// ([Finder.Sandbox]).
package access
