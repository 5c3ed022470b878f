package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// Protocol is the standard output of a command that speaks a protocol there: what is written goes out at once. From
// then on whatever else this process or a child of it prints to standard output goes to standard error, be it by
// [os.Stdout] or by the descriptor.
func Protocol(cmd *cobra.Command) (io.Writer, error) {
	w := cmd.OutOrStdout()
	if o, ok := w.(*output); ok {
		w = o.w
	}
	if w != io.Writer(os.Stdout) {
		return w, nil
	}
	own, err := takeStdout()
	if err != nil {
		return nil, fmt.Errorf("take standard output: %w", err)
	}
	os.Stdout = os.Stderr
	return own, nil
}

// orphanEvery is how often WithParent looks for the parent.
const orphanEvery = time.Second

// WithParent is a context that ends when the process that started this one does, on systems that tell. It asks for the
// parent instead of having a signal sent (PR_SET_PDEATHSIG): that comes when the parent's thread ends, which in a
// client with threads is no end of it.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	first := os.Getppid()
	if first <= 1 {
		return ctx, cancel
	}
	go func() {
		tick := time.NewTicker(orphanEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if os.Getppid() != first {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}
