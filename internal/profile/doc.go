// Package profile says what each kind of agent gets to see.
//
// A [Profile] is what an agent of one kind prefers, kept in YAML: profiles.yaml beside this file, and files of the
// user's. A policy ([Policy]) makes a [Request] of a profile, a task, an intent's plan and a budget, and [Select] holds
// items against the request: each is kept or dropped, with its score and a reason. Package prompt calls them in this
// order. The package is pure: the same input gives the same output in the same order, and it opens no file.
//
// # The file
//
// Under "profiles" stands a map from id (a-z, 0-9, - and _) to these fields, none of which has to be there
//
//	description                 one sentence; not inherited
//	inherits                    the profile whose fields hold where this one has none; without it, default. A profile of the user's
//	                            with the id of a built-in one replaces it and may inherit from it
//	agents                      kinds of agents that get it; not inherited; without, the kind of the profile's id
//	weights                     task, project, global: what items of each scope are worth, 0 to 1, brought to a sum of 1
//	preferred_kinds             kinds of items that count whole; all others count for half
//	excluded_kinds              kinds that are dropped
//	only_preferred              whether kinds that are not preferred are dropped too
//	min_importance              0 to 1; items below are dropped
//	allow_compression           whether texts may be made shorter
//	compression_aggressiveness  0 to 1
//	preserve_head               0 to 100: so many of the first items are kept whole
//	preserve_tail               0 to 100: and of the last
//	code                        the code budget: results (1 to 100), chars of one (1 to 20000), bytes of all (1 to 1048576)
//	inject_at                   0 to 1: relevance from which code is strong and stands with its text
//	min_relevance               0 to 1: relevance from which code is likely; below it stand at most three guesses, as pointers
//	likely_text                 whether likely code stands with its text where the code budget is left, else as a pointer
//	learn                       whether outcomes of tasks may move its numbers, where the settings do not say so
//	strategy                    name of the strategy that compiles
//	tags                        words for people
//	system_prompt               what the agent is told it is, up to 16384 bytes; without, as the strategy says
//	sections                    list of {name, source}: the sections of the prompt in their order, each from one of [Sources];
//	                            none: those of the strategy. What no section shows is not searched
//
// Lists replace those that are inherited. A mistake is an error that names file, line, profile, field, value and what
// is wanted; all mistakes of all files are told at once.
//
// # A profile in a request
//
// [Set.Override] reads a whole profile from the JSON of a request, with the same fields and checks.
//
// # Kinds that are neither preferred nor excluded
//
// They are kept, at half the score, and so come last when the budget is short. The published policy filters by
// preferred kinds alone, under which the published excluded kinds would mean nothing and no profile could see what a
// plan asks memory for (facts, episodes). only_preferred gives that filter to a profile; peasant has it.
//
// # Add an agent kind
//
// A new kind needs a profile and mostly nothing else; docs/DEVELOPMENT.md, "Add an agent kind", has the steps.
package profile
