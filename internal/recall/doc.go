// Package recall orders what is remembered by how well it answers a question.
//
// An item counts by the question's words that it holds: rare words more than common ones (how many items hold them),
// stop words little, words compared by their stems and irregular forms (went is go). A word said twice counts a little
// more, in a long text less. What the items mean, where an embedder tells it, adds to that.
//
// Some items are turns of a conversation: short texts that say who spoke, or whose kind says so. A turn often answers
// what the turns before it asked, so a turn also counts, for less, by the words of its neighbours in the same session:
// those that were said, or saved, within half an hour. A turn that only asks counts less than its answer. A speaker
// whom the question names makes what he said count more, and the name itself next to nothing, since others call him by
// it. A question for a time prefers what tells one, and a question that names a time what was said then.
//
// Everything here is pure and bounded: the same items and the same question give the same order on every store.
package recall
