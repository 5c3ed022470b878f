// Package agents knows the coding agents that contextd is installed into: how each is recognised, and which file takes
// which of its parts, on each system, for a user and for a project. It is a table and touches no file.
//
// # Add a coding agent
//
// An agent is a row of the table in table.go, a line in the test of paths and a row in docs/INSTALL.md.
// docs/DEVELOPMENT.md, "Add a coding agent to install", has the steps. Kinds of agents that contextd compiles prompts
// for are another thing: package compile.
package agents
