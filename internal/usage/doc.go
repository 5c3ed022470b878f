// Package usage learns from what agents do with what they were given, so that what is used comes sooner next time.
//
// Package prompt says what went into a prompt (Begin) and asks how to weigh what might go into the next (Boosts);
// whoever hears of the reply, and of what the agent then opened, edited or searched for itself, says so (Finish). All
// is kept in the store by project, so it lasts over sessions and is shared by all agents of a project.
//
// # What became of an item
//
//	used        its text overlaps the reply, the reply names its file, its file was edited, or whoever watched says that it was taken up
//	re-fetched  the agent opened its file or searched for what it says, though it had it: the right thing, too short
//	dead        none of these
//	missed      not an item: a file opened or edited, or a search, that no item had foreseen
//
// Overlap is the Jaccard index of the sets of words of 3 letters or more, of the item and of the reply or, if that is
// more, of one of its paragraphs (of 8 words or more); .15 counts. Used and re-fetched items are referenced.
//
// # What follows
//
// An item's boost is .5 + the share of its retrievals in which it was referenced, from its second retrieval on; 1
// before, and for what is unknown. In that share an event weighs half as much for each 7 days that it lies back before
// the last one. An item's score is the sum of its overlaps, halved every 7 days; an edit or a name counts 1, a re-fetch
// .5. The kinds of items have boosts by the same rule, from 20 retrievals on, for budgets. A clock that is set back
// ages nothing.
//
// # What is kept
//
// In the shelf ("usage", project): the items in 16 documents by hash of their ids, 320 each at most (those not
// retrieved for the longest time go; docs/decisions/028-usage-in-17-documents.md says why), and the sums by agent kind,
// profile and kind of item. In ("turns", project): the last 200 prompts, with the words of their items as hashes, and
// their ring. Feedback comes in as many parts as the caller likes and may repeat itself: an item counts once a prompt.
// A crash between the two shelves loses what one call of Finish had to say.
package usage
