// Package memory keeps what agents want to remember: decisions, facts, plans, errors, pieces of code, each an item with
// an importance that fades.
//
// # Who sees what
//
// An item of scope task belongs to the agent that wrote it and is seen by no other; one of scope project is seen by all
// agents that work on the project; a global one by all. An agent that works on a project does not see what it noted for
// itself in another.
//
// # Importance and tiers
//
// [Importance] is the weight of the kind × the decay since the last use × a boost for each use, in [0,1]; [Traits]
// holds the numbers. It puts an item into a tier: HOT is always loaded, WARM on demand, COLD waits to be put away into
// the archive, from which it is still found, and comes back when it is used or written again. [Memory.Retier] is called
// after each task; [Memory.Touch] when an item was used. [Memory.FlashSave] lets an agent clear its full context and go
// on with what is HOT, and [Memory.Restore] takes it back to such a point.
//
// # What is not taken
//
// The id of an item follows from its text, so that a duplicate is the same item, made stronger. Secrets are replaced
// before anything is stored. A text that contextd itself put into a prompt of the agent, or of another one of its
// project ([Memory.NoteInjected]), is refused: contextd would feed on its own words. It is known again by runs of three
// words, in which 80 % of its words must stand, with letters that look alike as one and invisible ones left out. A text
// of fewer than 12 words must be the same throughout, and one of fewer than 48 words that differs in one place is a
// correction, which is taken.
//
// Of decisions on nearly the same thing the one that was said last holds ([Item.Said], [Saying]); the older ones stay.
//
// What an item cites is compared with the manifest of the index each time it is loaded; where that differs, the item
// says verify.
//
// # Where it lies
//
// In a [store.Store], as JSON, one document for each item, id → item:
//
//	memory/<agent>, memoryproject/<project>, memoryglobal/all      live items of the scopes
//	archive/<agent>, archiveproject/<project>, archiveglobal/all   those put away
//	checkpoint/<agent>    ckp_<number>_<mark>: a Checkpoint without its items, which lie in <id>.1, <id>.2 …
//	injected/<agent>, injectedproject/<project>
//	                      1, 2 …: a byte for the format, then hashes of runs of words, 8 bytes each, sorted
//
// Each change of a shelf of items also writes the document "head", {"version": 1}, on the condition that nobody else
// did: so changes of several processes follow one after the other and none is lost, and a process knows its copy of the
// shelf to hold as long as the shelf's revision is the one it knows. A move between shelves is two changes, the new
// place first. A higher version is refused, not guessed at.
package memory
