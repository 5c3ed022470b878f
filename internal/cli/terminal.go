package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// IsTerminal reports whether v is a file on a terminal.
func IsTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && isTerminal(f.Fd())
}

// CanAsk reports whether somebody can answer a question of cmd.
func CanAsk(cmd *cobra.Command) bool { return IsTerminal(os.Stdin) && IsTerminal(cmd.ErrOrStderr()) }

// Ask asks a question on the terminal and reports whether the answer is yes.
func Ask(cmd *cobra.Command, question string) bool {
	fmt.Fprint(cmd.ErrOrStderr(), question+" [y/N] ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// Styled reports whether what a command prints goes to a terminal that shows colours and links, to a user who wants
// them.
func Styled(cmd *cobra.Command) bool {
	w := cmd.OutOrStdout()
	if o, ok := w.(*output); ok {
		w = o.w
	}
	return IsTerminal(w) && styled(runtime.GOOS, os.Getenv)
}

// styled is what the environment says of it. Windows shows its own console's sequences only where a newer terminal is
// in front of it.
func styled(system string, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	return system != "windows" || getenv("WT_SESSION") != "" || getenv("TERM") != ""
}

// Bar is a progress bar. Its methods are safe for concurrent use and do nothing away from a terminal.
type Bar struct {
	w    io.Writer // nil: no terminal
	what string
	mu   sync.Mutex
	last time.Time
	on   bool // something is on the line
}

// NewBar makes a bar for w, normally stderr. what says what is done: "indexing".
func NewBar(w io.Writer, what string) *Bar {
	if !IsTerminal(w) || os.Getenv("TERM") == "dumb" {
		w = nil
	}
	return &Bar{w: w, what: what}
}

// Set shows that done of total are done; ten times a second at most.
func (b *Bar) Set(done, total int) {
	if b.w == nil || total <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); now.Sub(b.last) >= 100*time.Millisecond {
		b.last, b.on = now, true
		fmt.Fprint(b.w, "\r"+barText(b.what, done, total))
	}
}

// Clear removes the bar from the terminal.
func (b *Bar) Clear() {
	if b.w == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.on = false
	}
}

// barText is the bar as text, the same width whatever done is.
func barText(what string, done, total int) string {
	const width = 24
	done = min(max(done, 0), total)
	full := width * done / total
	digits := len(fmt.Sprint(total))
	return fmt.Sprintf("%s [%s%s] %*d/%d", what, strings.Repeat("#", full), strings.Repeat(".", width-full), digits,
		done, total)
}
