package prompt

import (
	"strings"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/safetext"
)

// minQuestion is the number of bytes to which a question is cut at most so that it fits into the budget.
const minQuestion = 512

// placeQuestion puts the question of a request into its context, where neither task nor issue says what to do or the
// strategy would send no message of the user, and returns it. Of a question that is too long for the budget the start
// is kept: the caller has the whole.
func (j *job) placeQuestion(c *compile.Context) string {
	messages := c.Messages()
	if j.taskText() != "" && j.showsTask() && messages[len(messages)-1].Role == "user" {
		return ""
	}
	question := strings.TrimSpace(j.requestText())
	for {
		c.Question = question
		if len(question) <= minQuestion || j.measure(c.Messages()) <= j.policy.Budget/2 {
			return question
		}
		question = safetext.Cut(question, max(min(len(question)/2, 16*j.policy.Budget), minQuestion))
	}
}

// showsTask reports whether the strategy shows what the task or its issue says: sections of a profile may leave both
// out.
func (j *job) showsTask() bool {
	l, own := j.strategy.(compile.Layout)
	return !own || l.Shows(profile.SourceTask) || j.task.Issue != nil && l.Shows(profile.SourceIssue)
}
