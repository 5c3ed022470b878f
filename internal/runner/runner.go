// Package runner starts the programs that an installation needs: an agent's own command, and a server of MCP to see
// that it answers. It starts what it is given and looks nothing up; "retriever install", "uninstall" and "tools" call
// it.
package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/safetext"
)

// commandTime is how long an agent's own command may take: some start slowly.
const commandTime = 30 * time.Second

// Run runs a command to its end, without input. Its error holds the first line that the command printed.
func Run(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var out outputHead
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		err = errors.New("it did not end in time")
	}
	return out.explain(err)
}

// outputHead keeps the first bytes of what a program prints, for a message.
type outputHead struct{ buf bytes.Buffer }

const tailBytes = 4 << 10

func (t *outputHead) Write(p []byte) (int, error) {
	t.buf.Write(p[:min(len(p), tailBytes-t.buf.Len())])
	return len(p), nil
}

func (t *outputHead) explain(err error) error {
	line, _, _ := strings.Cut(strings.TrimSpace(safetext.Valid(t.buf.String())), "\n")
	if err == nil || line == "" {
		return err
	}
	return fmt.Errorf("%w: it says %q", err, line)
}
