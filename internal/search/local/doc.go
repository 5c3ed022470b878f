// Package local is the embedded index: a folder of files a project, read through mappings, written without a server.
//
// ingest writes it through [search.Writer], retrieve reads it through [search.Snapshot], in the same or in different
// processes; search/searchtest says what both may rely on.
//
// # Files
//
// Each project has a folder named by a hash of its id, with these files (mode 0600 in folders of mode 0700):
//
//	CURRENT          the record of the project, the list of its segments, the name of its manifest and what has changed since
//	man-<n>-<nonce>  a manifest: a row for each file; never changed once it has this name (decision 046)
//	NEXT             the same of the next version while one is being built (next.go)
//	seg-<n>-<nonce>  a segment: postings, vectors and feature blobs of some files; never changed once it has this name. It
//	                 ends with the build of the next version that it was made for, if it was for one
//	CONFIRMED        when the index was last found equal to the disk, if that was after the last commit
//	CHECKED          which segments were found right since the system was started (checked.go)
//	ATTACHED         what is kept beside the index: the history of the project
//	FAILED           why the last refresh failed, if that was after the last commit
//	write.lock       locked (flock) by the process that writes CURRENT; write.owner names it
//	next.lock        the same of NEXT, with next.owner
//	*.tmp            a file in the making
//
// CURRENT is the switch. The manifest with its changes says in which segment, and where in it, the chunks of each file are; a document
// that no entry names is dead, and there is no other mark of deletion. A commit writes its segment, and now and then a manifest, under another name,
// renames it, writes a new CURRENT, renames that over the old one, and removes what CURRENT no longer names. A process
// killed between any two of these steps leaves the old state or the new one, and files that the next writer removes. A
// next version grows by the same steps with NEXT in the place of CURRENT, and is switched to, under both locks, by a
// CURRENT that says what it says. Nothing is synced to the disk: that is safe against the death of processes, and after
// a loss of power a checksum does not match.
//
// A commit writes one segment for what changed. When small segments number more than 8 the smallest are merged; a
// segment of which over half is dead is written again. What has changed since the
// manifest was written is folded into a new one when it is more than 512 rows and than a thirty-second of all. So a
// change of one file costs its own documents and the rows of those that changed before it.
//
// # Reading
//
// Opening a project reads CURRENT and maps its segments, once a process: as long as CURRENT stays the same, or says what
// a commit of this process wrote, the next Open finds all of it ready. The sums of segments are checked once a start of
// the system. A segment that is gone means that a writer was faster: CURRENT is read again. What is damaged, cut short or of a newer format is treated as absent: Open fails with a [DamagedError], which
// is a search.ErrNoProject, and a Writer starts from nothing with Project.Rebuilt set. Everything read from a mapping
// is checked against its bounds, and a fault of the mapping itself (a file cut while in use) is an error, not a crash.
package local
