package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/retrieve"
)

func relatedCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{Use: "related PATH:LINE", Short: "find code like that at a line",
		Args: cli.Args("PATH:LINE", 1, 1),
		Long: `related prints the pieces of code that are nearest to the piece at PATH:LINE, without that: by meaning, by the names that it defines and
uses, and by what was changed along with its file. The output is that of query.
Exit status: 0 with results, 1 when nothing is related, 2 on an error.`}
	f.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		place, err := placeOf(args[0])
		if err != nil {
			return err
		}
		f.like = &place
		return f.run(cmd, args[0])
	}
	return cmd
}

// placeOf reads PATH:LINE.
func placeOf(text string) (retrieve.Place, error) {
	i := strings.LastIndexByte(text, ':')
	line, err := strconv.Atoi(text[i+1:])
	if i < 1 || err != nil || line < 1 {
		return retrieve.Place{}, fmt.Errorf("place %q: want a path and a line from 1, such as \"web/app.go:12\"", text)
	}
	return retrieve.Place{Path: text[:i], Line: line}, nil
}
