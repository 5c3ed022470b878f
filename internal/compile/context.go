package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Section is a named part of a context.
type Section struct {
	Name    string
	Content string // without a final line end
	Source  string // what it is from
	Stable  bool   // it is the same in every call of one task: it stands before those that are not
}

// Context is what one call of an agent is given.
type Context struct {
	SystemPrompt string
	Sections     []Section
	Override     []Message // these in place of all else, if there are any
	Question     string    // what the user asks, where no section says it: it ends the prompt; "" for none
}

// Text is a section as it stands in its message.
func (s Section) Text() string { return "## " + s.Name + "\n" + s.Content + "\n" }

// Messages are those of the prompt: the override or else the system prompt and one message of the user with all
// sections, each under "## name", and the question behind them. A question makes the last message one of the user, as
// APIs of models want it.
func (c *Context) Messages() []Message {
	question := quote(c.Question, "markdown")
	if n := len(c.Override); n > 0 {
		if question == "" || c.Override[n-1].Role == "user" {
			return c.Override
		}
		return append(slices.Clip(c.Override), Message{Role: "user", Content: question})
	}
	messages := []Message{{Role: "system", Content: c.SystemPrompt}}
	text := join(c.Sections)
	if question != "" {
		if text != "" {
			text += "\n"
		}
		text += Section{Name: HeadingQuestion, Content: question}.Text()
	}
	if text != "" {
		messages = append(messages, Message{Role: "user", Content: text})
	}
	return messages
}

func join(sections []Section) string {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s.Text())
	}
	return b.String()
}

// PrefixHash is the SHA-256, in hexadecimal, of what stands before everything that may differ between two calls of one
// task: a provider's cache holds as long as it is the same. Of an override it is that of the first message.
func (c *Context) PrefixHash() string {
	prefix := []Message{{Role: "system", Content: c.SystemPrompt}}
	if len(c.Override) > 0 {
		prefix = c.Override[:1]
	} else {
		n := 0
		for n < len(c.Sections) && c.Sections[n].Stable {
			n++
		}
		prefix = append(prefix, Message{Role: "user", Content: join(c.Sections[:n])})
	}
	return Hash(prefix)
}

// Hash is the SHA-256 of messages, in hexadecimal.
func Hash(messages []Message) string {
	h := sha256.New()
	for _, m := range messages {
		h.Write([]byte(m.Role + "\x00" + m.Content + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
}
