package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/wire"
)

// read fills the request from the flags and the files that they name.
func (f *contextFlags) read(cmd *cobra.Command) error {
	if err := cmp.Or(checkProject(f.project), atLeast("min-generation", f.req.MinGeneration, 0)); err != nil {
		return err
	}
	if f.deadline < time.Millisecond || f.deadline > prompt.MaxDeadline*time.Millisecond {
		return fmt.Errorf("flag --deadline: want 1ms to %s (got %s)", prompt.MaxDeadline*time.Millisecond, f.deadline)
	}
	if f.taskFile == "-" && f.conversation == "-" {
		return errors.New("flags --task-file and --conversation-file: want standard input for one of them only")
	}
	f.req.DeadlineMS = int(f.deadline.Milliseconds())
	if cmd.Flags().Changed("inject-at") {
		f.req.InjectAt = &f.injectAt
	}
	if cmd.Flags().Changed("min-relevance") {
		f.req.MinRelevance = &f.minRelevance
	}
	if f.taskFile != "" {
		f.req.Task = &prompt.Task{}
		if err := readJSON(cmd, f.taskFile, f.req.Task); err != nil {
			return err
		}
	}
	if f.conversation != "" {
		if err := readJSON(cmd, f.conversation, &f.req.Conversation); err != nil {
			return err
		}
	}
	if f.profileFile != "" {
		if f.req.Profile.Name != "" {
			return errors.New("flags --profile and --profile-file: want one of them only")
		}
		if err := readJSON(cmd, f.profileFile, &f.req.Profile.Own); err != nil {
			return err
		}
	}
	w := where(f.project, f.root)
	f.req.Project, f.req.Root, f.req.Dir, f.req.Home = w.Project, w.Root, w.Dir, w.Home
	return nil
}

// readJSON reads a file, or standard input for "-", strictly.
func readJSON(cmd *cobra.Command, name string, v any) error {
	data, err := readInput(cmd, name, maxStdin)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("read %q: %s", name, notJSON(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %q: want one JSON document and nothing after it", name)
	}
	return nil
}

// notJSON says what is wrong with a document.
func notJSON(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return "want a JSON document (it is empty)"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON document is cut off"
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("want another JSON document (got one %s)", kind.Value)
	case errors.As(err, &kind):
		return fmt.Sprintf("field %q cannot be a JSON %s", wire.FieldName(kind.Field), kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
