// Package revision keeps the files of commits as folders, so that a question can be put to a revision as to a working
// tree.
//
// [Store.Open] resolves a name by package githist and gives the folder of the commit's tree, written out once:
//
//	DIR/<repository>/lock                  who writes a tree out or removes one holds it; it stays
//	DIR/<repository>/<tree>-<limits>/files the files, in a repository of their own whose index tracks each of them
//	DIR/<repository>/<tree>-<limits>/index the state directory of their index; this package only names it
//	DIR/<repository>/<tree>-<limits>/blobs the hash of each file
//	DIR/<repository>/<tree>-<limits>/ready its size in bytes; its time is that of the last question
//	DIR/<repository>/<tree>-<limits>.lock  shared by who asks, exclusive for who removes
//
// <repository> is a hash of the path of the objects, which all working trees of a repository share; <tree> is the hash
// of the tree, so two commits with equal files share one folder; <limits> is a hash of the limits that files were left
// out by.
//
// A tree is written beside its place and renamed. It is ready once its index was made: until then whoever opens it
// holds the repository's lock, and others wait. The repository of its own keeps rules of a repository around the state
// directory away, and since it tracks each file no .gitignore leaves one out, as in the working tree.
//
// At most [Options].Trees of a repository are kept, and [Options].Bytes of all: the least recently asked go first, and
// none that somebody asks.
package revision
