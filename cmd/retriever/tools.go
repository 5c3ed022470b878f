package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/runner"
)

func toolsCommand() *cobra.Command {
	var format string
	var all bool
	formats := []string{"openai", "anthropic"}
	cmd := &cobra.Command{Use: "tools", Short: "print the tools as a model's API takes them", Args: cli.Args("", 0, 0),
		Long: `tools prints the names, descriptions and argument schemas of the tools that "retriever mcp" offers, as the list "tools" of a request to a model: for
agents that call the model themselves. It asks the server, so both are always the same. Exit status: 0, or 2 on an error.`,
		Example: `  retriever tools --format anthropic`}
	cmd.Flags().StringVar(&format, "format", "openai",
		"form of the list: openai (chat completions) or anthropic (messages)")
	cmd.Flags().BoolVar(&all, "all", false, "all tools, not only those that are offered by default")
	// it fails for a flag that is not there
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := toolForms(format, nil); err != nil {
			return err
		}
		self, err := runner.Self()
		if err != nil {
			return err
		}
		argv := []string{self, "mcp"}
		if all {
			argv = append(argv, "--tools", "all")
		}
		s, err := runner.Handshake(cmd.Context(), argv)
		if err != nil {
			return fmt.Errorf("ask %q for its tools: %w", self+" mcp", err)
		}
		list, err := toolForms(format, s.Tools)
		if err != nil {
			return err
		}
		return cli.PrintJSON(cmd.OutOrStdout(), list)
	}
	return cmd
}

// openaiTool and anthropicTool are a tool in the forms of two APIs.
type openaiTool struct {
	Type     string         `json:"type"`
	Function openaiFunction `json:"function"`
}

type openaiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func toolForms(format string, tools []runner.Tool) (any, error) {
	switch format {
	case "openai":
		list := []openaiTool{}
		for _, t := range tools {
			list = append(list, openaiTool{"function", openaiFunction{t.Name, t.Description, t.InputSchema}})
		}
		return list, nil
	case "anthropic":
		list := []anthropicTool{}
		for _, t := range tools {
			list = append(list, anthropicTool{t.Name, t.Description, t.InputSchema})
		}
		return list, nil
	}
	return nil, fmt.Errorf("flag --format: %q: want openai or anthropic", format)
}
