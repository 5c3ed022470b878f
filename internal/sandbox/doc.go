// Package sandbox is the only door to source files: it says which files of a root count, and reads them without ever
// leaving the root.
//
// A [Root] is one folder. [Root.Walk] gives its files in the order of their paths and one [Skipped] for each folder or
// file that is left out; [Root.Check] and [Root.Why] give the verdict on a single path, with the rule, its file and its
// line; [Root.Read] opens a file through the root's own handle, never through a link. Walk, WalkPaths, Check and Why
// share one set of rules, so they cannot disagree.
//
// # Rules
//
// Reasons are tried in the order of the constants of code.Reason, and the first one that holds for a path or for a
// folder above it is given. Ignore rules are git's: nested .gitignore files, those above the root up to the top of its
// repository, info/exclude, the user's excludes file; other repositories inside the root obey their own. What git
// tracks is never ignored; the index file is read here, git itself is never run. Three choices are our own:
//
//   - A root that the repository above ignores is taken on its own: who names a folder wants its files.
//   - .contextdignore files use the same syntax and apply on top, to tracked files too. A rule with "!" lifts worktree,
//     ignored, secret_name, vendored, build_output, lockfile, generated and minified, below a folder that is left out
//     as well, if the rule is anchored ("!node_modules/ours/").
//   - Ignore files of other coding agents are obeyed; their "!" undoes only rules of files of the same name.
//
// Of the parts of a verdict, package ignore matches rules, gitfile reads git's formats, textfile and secret look at
// what a file holds; here they are put in order, over files that are read through the root. Package watch follows a
// root by its [Extent].
//
// # What is read outside of the root
//
// .gitignore files and .git up to the top of the repository, the git directories that .git files name (index,
// info/exclude, config, HEAD), and the user's git configuration and excludes file; each at most 1 MB, an index 64 MB.
package sandbox
