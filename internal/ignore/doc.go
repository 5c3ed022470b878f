// Package ignore matches paths with ignore rules as git does.
//
// [Compile] makes a [Table] of the lines of an ignore file, once for each content. [New] puts a table in force as a
// [Set], before the weaker one of the folder above; so the sets of a folder are a chain, the strongest first.
// [Set.Decide] is the rule of git's files that speaks of a path, [Set.DecideOwn] asks our own file (.contextdignore)
// and those of coding agents, which are sets of other kinds in a chain of their own.
//
// A full path begins at the top of a repository; a Set knows how much of it lies above its file. Names are compared
// byte by byte, or with ASCII letters in either case where the repository says so.
//
// Rules are hostile: the work on one path is bounded by an [Effort], counted in steps of a match. Once it is spent no
// rule speaks, and the caller has to leave the path out. Nothing here opens a file; package sandbox reads ignore files
// and keeps the memory of all tables within the budget of a walk ([Bytes]).
package ignore
