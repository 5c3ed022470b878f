// Package plugins holds what agents are told about contextd: one source for the Claude Code plugin in this folder and
// for "retriever install".
package plugins

import _ "embed"

// Skill is a SKILL.md: how to search from a shell.
//
//go:embed claude-code/skills/contextd/SKILL.md
var Skill string

// SubAgent is a sub-agent of Claude Code that finds places.
//
//go:embed claude-code/agents/contextd.md
var SubAgent string

// Instructions is a section for CLAUDE.md, AGENTS.md and the like.
//
//go:embed instructions.md
var Instructions string
