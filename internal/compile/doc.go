// Package compile turns what is known of a task into the messages of a prompt.
//
// An agent's Strategy chooses the sections and their order; those that come along are rows of one table (agents.go). A
// section has a name, a content and a source; Messages puts them behind each other, under "## name". The order is the
// most stable first, so that a provider's cache of the prompt's beginning holds as long as the task does. Equal states
// give equal bytes.
//
// Text that was found somewhere is data: it stands in a fence that it cannot close, beside its source. Package prompt
// calls this package, which is pure.
//
// # Add an agent kind
//
// Most new kinds are a profile in a file of the user's and no Go (docs/PROFILES.md). One that contextd brings along is
// a row of the table in agents.go and a profile of the same name in internal/profile/profiles.yaml;
// docs/DEVELOPMENT.md, "Add an agent kind", has the steps.
package compile
