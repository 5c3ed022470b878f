package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
)

// maxProfiles bounds one file of profiles, in bytes.
const maxProfiles = 1 << 20

// readProfiles is the built-in profiles and those of a file, or of the files of a directory that end in .yaml or .yml;
// "" names none.
func readProfiles(path string) (*profile.Set, error) {
	if path == "" {
		return profile.Builtin(), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read profiles: %w", err)
	}
	names := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path) // sorted
		if err != nil {
			return nil, fmt.Errorf("read profiles: %w", err)
		}
		names = nil
		for _, e := range entries {
			if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
				names = append(names, filepath.Join(path, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("read profiles: no file in %q ends in .yaml or .yml", path)
		}
	}
	var files []profile.File
	for _, name := range names {
		data, err := readFile(name, maxProfiles)
		if err != nil {
			return nil, fmt.Errorf("profiles: %w", err)
		}
		files = append(files, profile.File{Name: name, Data: data})
	}
	return profile.Load(files)
}

func profilesCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "profiles", Short: "list and show what each kind of agent gets to see"},
		profilesListCommand(), profilesShowCommand(), profilesResetCommand())
}

func profilesResetCommand() *cobra.Command {
	var m projectFlags
	cmd := &cobra.Command{Use: "reset [PROFILE]", Short: "forget what outcomes of tasks say about a profile",
		Args: cli.Args("the id of a profile", 0, 1),
		Long: `reset forgets, for one project, what the outcomes of tasks say about a profile, or about all profiles: their numbers hold again as they are
written. Tasks that ended before do not count again. Exit status: 0, or 1 where nothing had been learnt.`}
	m.flags(cmd)
	cmd.RunE = m.assembler(func(cmd *cobra.Command, args []string, s *app.App, a *prompt.Assembler) error {
		if err := useProfiles(cmd, a); err != nil {
			return err
		}
		project, err := m.id(cmd.Context(), s, true)
		if err != nil {
			return err
		}
		name := strings.Join(args, "")
		n, err := a.ResetLearned(cmd.Context(), project, name)
		if err != nil {
			return err
		}
		return cli.Answer(cmd, m.json, map[string]any{"project": project, "profile": name, "forgotten": n}, n > 0,
			cli.Line("forgot %d outcomes", n))
	})
	return cmd
}

func profilesListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "list the built-in profiles and those of --profiles",
		Args: cli.Args("", 0, 0),
		Long: "list prints each profile with the kinds of agents that get it. Exit status: 0, or 2 on an error."}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = withProfiles(func(cmd *cobra.Command, set *profile.Set, _ []string) error {
		t := cli.NewTable([]string{"PROFILE", "AGENTS", "STRATEGY", "DESCRIPTION"})
		for _, p := range set.All() {
			t.Row(p.ID, strings.Join(p.Agents, ", "), p.Strategy, p.Description)
		}
		return cli.Answer(cmd, asJSON, map[string]any{"profiles": set.All()}, true, t.Print)
	})
	return cmd
}

func profilesShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "show PROFILE", Short: "show one profile, with what it inherits",
		Args: cli.Args("the id of a profile", 1, 1),
		Long: `show prints a profile. With --json that is what context --profile-file and "profile" of POST /v1/context take. Exit status: 0, or 2 on an error.`}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = withProfiles(func(cmd *cobra.Command, set *profile.Set, args []string) error {
		p, err := set.Get(args[0])
		if err != nil {
			return err
		}
		data, err := json.Marshal(p.WithEmptyLists())
		if err != nil {
			return err
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(data, &fields); err != nil {
			return err
		}
		t := cli.NewTable(nil)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			t.Row(name, string(fields[name]))
		}
		return cli.Answer(cmd, asJSON, p.WithEmptyLists(), true, t.Print)
	})
	return cmd
}

// useProfiles gives an assembler the profiles of the settings.
func useProfiles(cmd *cobra.Command, a *prompt.Assembler) error {
	cfg, _, err := cli.Load(cmd)
	if err == nil {
		a.Profiles, err = readProfiles(cfg.Profiles)
	}
	return err
}

// withProfiles runs a command on the profiles of the settings.
func withProfiles(
	work func(cmd *cobra.Command, set *profile.Set, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, _, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		set, err := readProfiles(cfg.Profiles)
		if err != nil {
			return err
		}
		return work(cmd, set, args)
	}
}
