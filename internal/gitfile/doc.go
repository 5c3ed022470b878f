// Package gitfile reads the formats of files in a git directory that bear on which files count: configuration and
// index.
//
// [EachSetting] visits the settings of a configuration file, [Config] keeps the few that decide. [ParseIndex] gives the
// paths that an index of version 2, 3 or 4 holds; where it is split, [SharedName] names the file with the rest and
// [JoinShared] joins both. An [Index] answers which paths git tracks.
//
// All bytes are hostile: the time and memory of each function are linear in them, and damage is an error. Nothing here
// opens a file; package sandbox does, within its bounds. git itself is the reference, tests compare with it.
package gitfile
