// Command tsclient makes the generated parts of the clients in clients/ts, clients/python and clients/go from the
// OpenAPI document of package api: contextd.js, which runs as it is in browsers and in Node.js from 20, and
// contextd.d.ts, its types; _methods.py and _types.py, the generated part of the Python client; types.go, the types of
// the Go client. The same document gives the same bytes; a test says when the committed files are stale.
//
//	go run ./tools/tsclient
//
// It reads the part of OpenAPI 3.1 that the document uses and refuses what it does not know, so that no type is ever
// guessed. Three extensions are its own: x-websocket marks the operation whose messages are events, x-data says which
// schema the data of each type of event has, and x-other-clients marks an operation of a protocol that has clients of
// its own, which gets no method.
package main
