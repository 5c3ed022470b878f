// Package queue defines the queue of refresh requests between those who ask for a refresh and the workers that run it.
//
// A request travels intake → pending → claim → done. Push appends it to the intake and is all that a producer ever
// does. Drain, called only by the daemon, checks each message and merges it into the pending set of its project, where
// a thousand messages become one run. Claim hands a due project to one worker under a lease; Done removes exactly what
// was handled. A crash anywhere repeats work and loses none.
//
// Two implementations stand behind it, queue/redis (streams, sorted sets, hashes) and queue/sqlite (tables); the suite
// in queuetest holds both to the same promises.
package queue
