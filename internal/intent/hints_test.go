package intent

import "testing"

func TestEveryPublishedPhraseHintsAtItsMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Memory{
		"Should we use Redis or SQLite for the queue?": Decisions,
		"Should we wait?":                               Decisions,
		"What was the choice for the cache?":            Decisions,
		"What do you recommend for caching?":            Decisions,
		"The decision on retries":                       Decisions,
		"We decided to wait":                            Decisions,
		"Why did we choose Postgres?":                   Decisions,
		"Tell me about the billing module":              Facts,
		"What do you know about the scheduler?":         Facts,
		"What is the default port?":                     Facts,
		"Who owns the gateway?":                         Facts,
		"Where is the config parsed?":                   Facts,
		"What is the release process?":                  Procedures,
		"Describe the process we follow":                Procedures,
		"How do I add a migration?":                     Procedures,
		"How to deploy the service":                     Procedures,
		"The steps for a rollback":                      Procedures,
		"The workflow of a hotfix":                      Procedures,
		"Guide for new services":                        Procedures,
		"The story behind the outage":                   Episodes,
		"What happened with the deploy?":                Episodes,
		"Do you remember the outage?":                   Episodes,
		"Last time the index was empty":                 Episodes,
		"In our last session the tests were red":        Episodes,
		"What did we do in the previous session again?": Episodes,
	} {
		if s := Classify(text); s.Hints[want] == 0 {
			t.Errorf("Classify(%q).Hints = %v, want %s", text, s.Hints, want)
		}
	}
	for text, none := range map[string]Memory{
		"Delete the sessions of a user":        Episodes,
		"The session expires after an hour":    Episodes,
		"Write a user story for the login":     Episodes,
		"Kill the child process first":         Procedures,
		"Process the queue in batches":         Procedures,
		"The process crashes under load":       Procedures,
		"Parse a multiple choice question":     Decisions,
		"Implement a decision tree":            Decisions,
		"Reset the session when a user leaves": Episodes,
	} {
		if s := Classify(text); s.Hints[none] != 0 {
			t.Errorf("Classify(%q).Hints = %v, want no %s", text, s.Hints, none)
		}
	}
}
