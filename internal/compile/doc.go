// Package compile turns what is known of a task into the messages of a prompt.
//
// An agent's Strategy chooses the sections and their order. A section has a name, a content and a source; Messages puts
// them behind each other, under "## name". The order is the most stable first, so that a provider's cache of the
// prompt's beginning holds as long as the task does. Equal states give equal bytes.
//
// Text that was found somewhere is data: it stands in a fence that it cannot close, beside its source. assemble calls
// this package, which is pure.
package compile
