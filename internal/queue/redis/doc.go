// Package redis is the queue on a Redis server, Redis 6.2 or what speaks like it; search modules are not needed.
//
// Keys, all below one prefix P:
//
//	P:refresh          stream, the intake: one entry a message, written by anybody; consumer group "indexers"
//	P:pending:PROJECT  hash, path (or "*") → id of the newest message that named it
//	P:q:PROJECT        hash: root, first and last (ms, arrival of the oldest and newest change), lag (ms, wait of the newest in the intake), attempts, not_before (ms)
//	P:due              sorted set, project → when it may be claimed (ms); not while it is claimed
//	P:inflight         sorted set, claimed project → when its lease runs out (ms)
//	P:holders          hash, claimed project → token of the claim
//	P:dead             stream, the dead letters: id, project, root, reason, attempts, paths, body
//
// A step that touches several keys is one script, with every key declared, so a crash leaves no half of it. Times come
// from the server's clock. A message leaves the intake by XACK and XDEL in the script that merges it; the intake is
// never trimmed, for that would drop what nobody has seen.
package redis
