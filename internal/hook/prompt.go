package hook

import (
	"slices"
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/intent"
)

// shortWords bounds a prompt that may say nothing but "go on".
const shortWords = 6

// continuationWords are words of prompts that only answer the agent, in the languages in which users write most.
var continuationWords = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`a again agreed ahead all allow alright and approve approved best carry confirm confirmed continue correct do done exactly fine first
		go good great it keep lets let's lgtm me next nice no nope now ok okay on one option perfect please proceed resume retry right second stop sure thank thanks that the
		them these this try two undo up wait works yeah yep yes you y n
		ja nein weiter danke bitte gut genau mach si sí no gracias continúa sigue vale oui non merci continue d'accord da нет да продолжай 好 好的 是 继续 はい 続けて`) {
		words[w] = true
	}
	return words
}()

// generatedPrefixes are beginnings of prompts that a program wrote, not a person.
var generatedPrefixes = []string{"<task-notification", "<command-", "<local-command", "<system-reminder", "<bash-",
	"<user_instructions", "<environment_context"}

// Asks reports whether a prompt may need code: it is no command of the agent, no greeting, no "yes", and somebody wrote
// it.
func Asks(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || prompt[0] == '!' || isCommand(prompt) {
		return false
	}
	for _, m := range generatedPrefixes {
		if strings.HasPrefix(prompt, m) {
			return false
		}
	}
	return !isContinuation(prompt) && !intent.Classify(prompt).Greeting
}

// isCommand reports whether a prompt begins with the name of a command, such as "/clear" or "/plugin:name". A path has
// a further slash or a dot.
func isCommand(prompt string) bool {
	name, _, _ := strings.Cut(prompt, "\n")
	name, _, _ = strings.Cut(name, " ")
	return strings.HasPrefix(name, "/") && !strings.ContainsAny(name[1:], "/.")
}

// isContinuation reports whether a prompt is made of words like "yes", "do it" and numbers alone.
func isContinuation(prompt string) bool {
	if len(prompt) > 100 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`.,;:!?"()`, r)
	})
	if len(words) > shortWords {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return !continuationWords[w] && strings.ContainsFunc(w, unicode.IsLetter)
	})
}
