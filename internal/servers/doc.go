// Package servers says on which of several Redis servers a project lies, and which of them do not answer.
//
// The servers of one store are told apart by their names. A project lies on the server with the greatest weight for it
// (rendezvous hashing, highest random weight), which any program can compute:
//
//	key    = the first 8 hexadecimal digits, in lower case, of SHA-256(id of the project)
//	weight = the first 8 bytes, as a big-endian number, of SHA-256(name of the server, a space, key)
//
// Of equal weights the name that comes first in the order of bytes wins. The order in which the servers are named does
// not matter. One server more takes over 1/n of the projects, each from where it was; no other project moves. What is
// remembered of an agent, and of everybody ("all"), lies where that name in place of a project's id leads.
package servers
