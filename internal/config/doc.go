// Package config turns flags, environment and a file into one [Config].
//
// Both binaries call it, and nothing but commands imports it. One table, [Settings], says everything about a setting:
// its flag, its variables, its key in the file, its default and what it takes; flags, reading, help and docs/CONFIG.md
// are made from it, so they cannot differ.
//
// A flag wins over the environment, the environment over the file, the file over the default. An empty variable counts
// as unset. A bad value anywhere, or a key that does not exist, is one error that says where it stands, what it is and
// what is wanted; it is never passed over in silence.
package config
