// Package eviction removes projects from an index when it outgrows its limit, those first that nobody will miss.
//
// Anybody who reaches the store may ask for a project to be indexed, so room is shared between askers who do not know
// of each other. [Evictor.Evict] is called after each project that was written and answers three questions.
//
// How much must go? A room measures it: the sizes of the indexes against Options.MaxBytes and, on Redis, the memory of
// the server against its maxmemory. Only what can be removed counts. Documents, the audit log and the queue are never
// removed for room.
//
// What is in use? Notes say of each project when it was brought, which is when it was first indexed or asked for, and
// when it was last queried. A project without an index keeps its note for a day.
//
// In which order? A client's project goes after what nobody asked again, newest first, then after what was in use,
// least recently queried first, and takes nothing from an older project that is in use: whoever brings many takes from
// himself. The operator's projects replace the least recently queried. The rules are pure functions (order.go).
//
// # State directory
//
//	queried/   a file for each project, named by a hash of its id: its text is when it was brought, its time the last question
//
// # Redis
//
//	P:uses    hash: project → when it was brought and last queried, in ms
//	P:sizes   hash: project → bytes of memory
package eviction
