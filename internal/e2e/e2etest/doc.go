// Package e2etest drives the two real binaries as their users do.
//
// The tests of package e2e and the soak of tools/soak use it. A [World] is a state directory, a key prefix and an
// environment of their own, in which commands are run, daemons started and killed, and questions asked. [World.Picture]
// is what an index says: two indexes with equal pictures are equal. [Disk] proves answers against the files while they
// change. [Proxy] stands between a process and its Redis and cuts the line after a given number of commands, so that a
// process can be killed at every step of a write. [Relay] is a bad line to Redis: slow, cut, torn.
//
// Only what docs/ promise is used: commands, flags, JSON, metrics. It needs signals, so it is for Unix.
package e2etest
