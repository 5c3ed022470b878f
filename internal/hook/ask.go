package hook

import (
	"encoding/json"
	"time"

	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
)

// ProfileID is the profile of what hooks give, in receipts and statistics.
const ProfileID = "hook"

// Limits of what is asked for one prompt.
const (
	maxPrompt      = 8 << 10 // bytes of it that are searched for
	maxPieces      = 6
	pieceChars     = 1200
	charsPerTok    = 3
	minGrade       = .3 // likely; there are no guesses
	promptOverhead = 60 // tokens of a context that are neither the prompt nor code
)

// request asks for the code of a prompt. Strong code stands with its text, likely code as a pointer.
func request(
	agent Agent, text, dir, home string, most int, limit time.Duration, held []prompt.Held,
) (prompt.Request, error) {
	least, room := minGrade, max(most-frameTokens, 1)
	text = safetext.Cut(text, maxPrompt)
	own, err := json.Marshal(map[string]any{"id": ProfileID, "preferred_kinds": []string{"code", "test"},
		"only_preferred": true, "allow_compression": false,
		"code":        map[string]int{"results": maxPieces, "chars": pieceChars, "bytes": room * charsPerTok},
		"likely_text": false, "sections": []map[string]string{{"name": "Code", "source": "code"}}})
	if err != nil {
		return prompt.Request{}, err
	}
	return prompt.Request{Agent: string(agent), AgentKind: string(agent), Profile: prompt.ProfileChoice{Own: own},
		Query: text, MinRelevance: &least, BudgetTokens: room + tokens.Estimate().Count(text) + promptOverhead,
		DeadlineMS: max(int(limit.Milliseconds()*3/5), 1), Estimate: true, Held: held, Dir: dir, Home: home}, nil
}
