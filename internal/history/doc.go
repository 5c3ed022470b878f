// Package history is the working memory of a project: the tasks that were completed last and what is blocked right now.
//
// Package prompt puts it into prompts, api and the commands record and show it. The last 100 tasks stay in the store, a
// document each; every event goes to an audit log for ever, one line of JSON a file per project, on the disk before the
// store changes. So a crash in between repeats a line and loses none. Recording costs two waits for the disk and is
// meant to take less than 5 ms in all.
//
// # What a task may show
//
// Intent and summary are made when a task completes, without a model. A task's record shows them only while its
// requires_context is on, which it is not unless somebody says so; they are kept meanwhile and come back with the
// toggle. The window that goes into prompts names each of its tasks by the intent, whatever the toggle, and adds the
// summary while it is on; a task that is at work and wants nothing of it says requires_context false in its own
// request.
//
// # Intents
//
// The first line of the text with a letter or digit, without marks of headings, quotes and lists in front, up to the
// end of its first sentence, at most 120 characters (cut between words, "…" at the end). White space becomes one space.
//
// # Summaries
//
// What was meant, how it ended, what changed and what the checks said, at most 400 characters:
//
//	Add the login page. Succeeded; 3 files changed: web/src (2), web; errors 0, lint ok, tests 12
//
// Folders stand by number of files, then by name, three at most. Of a validation report that is an object, the first 4
// fields by name count that are a number (as it is), true ("ok"), false ("failed") or a list (its length); other
// reports add nothing. A summary that comes with the task is kept instead, up to the same length.
//
// # Order, size, time
//
// Tasks are in the order in which they were recorded, whatever the clock said. A task takes about 5 KB in the store at
// most: what is over goes from there, first its report, then unknown fields, then files beyond 20; the audit log has
// it. Fields that this version does not know stay through every rewrite.
package history
