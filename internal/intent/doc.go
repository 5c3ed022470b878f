// Package intent says what a text wants, by patterns alone, and what to retrieve for it.
//
// Package prompt calls [Classify] with the text of a task or of the last message and [PlanFor] with the result. Both
// are pure and cost well under a millisecond whatever the length of the text: of a long one the beginning and the end
// are read. What is looked for stands in patterns.txt, what follows from it in plans.json; a test reads every line of
// both.
//
// A text is first taken apart. Fenced and indented code, lines that are code by their look, and lines of stack traces
// are set aside; so are code spans, paths (see [Paths]), URLs and identifiers inside of sentences. They give entities,
// and a trace says "debug", but no phrase is looked for in them. What is left is prose: words in lower case without
// apostrophes.
//
// Phrases are looked for at every word. One that lies inside a longer one counts for neither frame nor hints, so "error
// handling" is no error. One with a negator up to two words before it says nothing of the frame or the time: "don't fix
// it", "not a bug". The frame with the highest weight wins: the heaviest phrase counts whole, each further one for half
// a point. Between equals the order is debug, decision, creative, task, question, conversation. Without any phrase of
// weight a sentence that asks is a question. All else is conversation, but for two shapes: a statement about a thing
// ("the tooltip is cut off") is debug, an unknown verb or thing with words behind it a task; both ask for more than
// conversation does.
//
// testdata/frames.txt holds 280 messages with their frames, 95 % of which must be told; patterns were written for them.
// No pattern was written for the 224 of testdata/unseen.txt, 71 % of which are told: of the rest a quarter is debug
// taken for a task, whose plan asks the same of memory. A pattern that tells one message of frames.txt and nothing else
// is left out.
//
// # What a plain list of patterns misses
//
// Cases that matching a few expressions over the whole text gets wrong, and that are held by
// TestCasesThatPlainPatternsMiss:
//
//   - a greeting before a request ("hi, why does login fail" is no greeting), with a name ("Hello Claude"), as small talk ("hey,
//     how are you?"), in two dozen languages, stretched ("heyyy"), thanks and goodbyes
//   - typos in words that matter ("what did we decied yesturday"), missing or typographic apostrophes ("doesnt work")
//   - words in code: `today := fix(bug)` neither fixes anything nor is it of today; nor do words in paths and URLs
//   - negation: "don't fix it, just explain", "this is not a bug", "not today"
//   - a stack trace, compiler error or failing test without any word about it, in eleven formats
//   - "how do I …" and "how to add …" ask for a procedure and are no task; "can you add …?" is a task and no question; "why did
//     we choose …" asks for a decision that was made; "should we use A or B" asks to make one
//   - names of things: "error handling", "error message", "bug tracker", "decision tree", "test coverage"
//   - questions without a question mark, question marks without a question (in URLs, in code: `a ? b : c`)
//   - times in other words: "this morning", "an hour ago", "two days ago", "last night", "months ago"
//   - long pastes with the request at the end
//
// The published phrases have the published numbers; more than one phrase of time gives the most recent.
package intent
