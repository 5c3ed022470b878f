package hook

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
)

// frameTokens is about how many tokens the words around the pieces take.
const frameTokens = 80

// bytesPerToken is what memory and blockers are counted by, which is cautious for most languages.
const bytesPerToken = 3

// sourceNotice says where the text comes from: agents distrust text in a prompt that nobody answers for.
const sourceNotice = "contextd, installed by the owner of this machine with `retriever install`, "

// codeText tells of pieces: places, grades, texts. It states what was found and asks for nothing. "" where there are
// none.
func codeText(root string, pieces []prompt.Piece) string {
	if len(pieces) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"%sfound these places for this prompt in %s. Lines and text are as on disk now; fenced text is quoted from the files.\n",
		sourceNotice, safetext.Line(root))
	for _, p := range pieces {
		grade := "likely"
		if p.Strong {
			grade = "strong"
		}
		fmt.Fprintf(&b, "\n%s:%d-%d (%s)", safetext.Line(p.Path), p.StartLine, p.EndLine, grade)
		if p.Pointer {
			if line := safetext.Line(strings.TrimSpace(p.Text)); line != "" {
				b.WriteString(": " + line)
			}
			continue
		}
		b.WriteString("\n" + strings.TrimSuffix(render.Fence(safetext.Text(p.Text), p.Language), "\n"))
	}
	return clean(b.String()) + "\n"
}

// Opening is what an agent should know when its session starts, each a line.
type Opening struct {
	Project  string
	Root     string
	Blockers []string
	Memory   []Memory
}

// Memory is something that is remembered.
type Memory struct {
	ID, Kind, Text string
	Verify         bool // what it cites has changed since
}

// openingText tells of blockers and memory within some tokens, and which memories it shows. "" where there is nothing.
func openingText(o Opening, tokens int) (text string, shown []Memory) {
	var b strings.Builder
	left := max(tokens, 0) * bytesPerToken
	add := func(line string) bool {
		if line = clean(line); len(line)+1 > left {
			return false
		}
		left -= len(line) + 1
		b.WriteString(line + "\n")
		return true
	}
	head := fmt.Sprintf(
		"%skeeps this of earlier sessions in %s. It is a record of facts, to be checked against the code.",
		sourceNotice, safetext.Line(o.Root))
	if !add(head) {
		return "", nil
	}
	before := left
	title := "Open blockers:\n"
	for _, line := range o.Blockers {
		if !add(title + "- " + oneLine(line)) {
			break
		}
		title = ""
	}
	title = "Remembered:\n"
	for _, m := range o.Memory {
		note := m.Kind
		if m.Verify {
			note += ", what it cites has changed since"
		}
		if !add(fmt.Sprintf("%s- %s (%s)", title, oneLine(m.Text), note)) {
			break
		}
		title, shown = "", append(shown, m)
	}
	if left == before {
		return "", nil
	}
	return b.String(), shown
}

// oneLine is a text in one line that obeys nobody, of bounded length.
func oneLine(s string) string {
	return safetext.Cut(safetext.Line(strings.Join(strings.Fields(s), " ")), 600)
}

// clean is a text without secrets, in UTF-8.
func clean(s string) string {
	s, _ = secret.Redact(s)
	return safetext.Valid(s)
}
