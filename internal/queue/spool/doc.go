// Package spool keeps refresh requests as files of one directory while the store of the queue takes none, and delivers
// them once it does.
//
// A request is one file NAME.json, written under another name and renamed. Whoever delivers removes it only after the
// queue has accepted it, so a crash in between delivers it twice: a request says what to look at and not what to do, so
// that costs a look and changes nothing. One process at a time delivers, by a lock on the directory itself, where the
// system can lock one. What is no request is renamed to NAME.json.bad and left there.
//
// The directory is foreign text: other programs may write to it. Everything in it is reached through one os.Root, is
// opened without following a link and without waiting, and is read up to a bound.
package spool
