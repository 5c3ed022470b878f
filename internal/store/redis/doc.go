// Package redis keeps documents and logs on a Redis server, Redis 6.2 or what speaks like it.
//
// Keys, all below one prefix P:
//
//	P:doc:BUCKET:OWNER  hash, one shelf: id → revision, a space, the data
//	P:rev:BUCKET        hash: owner → the revision of its shelf; stays when the documents go
//	P:owners:BUCKET     set: the owners whose shelf holds documents
//	P:log:NAME          stream, one field "d" an entry
//
// A change is one script that reads all it touches before it writes, so a key of a wrong type or a failed condition
// leaves everything as it was. Revisions take their time from the server's clock. Nothing is sent twice: when a
// connection breaks in the middle, the change was made or not. How long documents last is the server's setting: without
// "appendonly yes" a restart of the server loses what came after its last snapshot.
package redis
