package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/spf13/cobra"
)

// asNoisy makes this test's process a command that speaks a protocol among libraries, loggers and children that print.
const asNoisy = "CONTEXTD_TEST_NOISY"

func init() {
	if os.Getenv(asNoisy) == "" {
		return
	}
	cmd := &cobra.Command{Use: "noisy", RunE: func(cmd *cobra.Command, _ []string) error {
		out, err := Protocol(cmd)
		if err != nil {
			return err
		}
		fmt.Println("a library")
		log.New(os.Stdout, "", 0).Println("a logger")
		if f := os.NewFile(1, "1"); runtime.GOOS != "windows" {
			fmt.Fprintln(f, "a descriptor")
		}
		child := exec.Command(os.Args[0], "-test.run=^$")
		child.Stdout, child.Env = os.Stdout, append(os.Environ(), asNoisy+"=")
		_ = child.Run()
		_, err = io.WriteString(out, "the message\n")
		fmt.Println("more of the library")
		return err
	}}
	os.Exit(Run(context.Background(), cmd, nil, os.Stdout, os.Stderr))
}

func TestProtocolHasStandardOutputForItself(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asNoisy+"=1")
	var out, noise bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &noise
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, noise.String())
	}
	if out.String() != "the message\n" {
		t.Errorf("on standard output: %q", out.String())
	}
	for _, want := range []string{"a library\n", "a logger\n", "more of the library\n"} {
		if !bytes.Contains(noise.Bytes(), []byte(want)) {
			t.Errorf("%q is lost: %q", want, noise.String())
		}
	}
}
