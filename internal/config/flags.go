package config

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags adds a flag for every setting. Values are kept as written: [Load] checks them, with the others.
func AddFlags(flags *pflag.FlagSet) {
	for i := range Settings {
		s := &Settings[i]
		help := s.Help
		if s.Shown != "" {
			help += " (default " + strings.ReplaceAll(s.Shown, "`", "") + ")"
		}
		flags.Var(&flagValue{setting: s}, s.Name, help)
	}
}

// flagValue keeps what a flag was given.
type flagValue struct {
	setting *Setting
	items   []string
}

func (f *flagValue) Set(text string) error {
	if !f.setting.repeats() {
		f.items = nil
	}
	f.items = append(f.items, text)
	return nil
}

// String is the default, for the help.
func (f *flagValue) String() string {
	if f.setting == nil {
		return ""
	}
	return f.setting.Default
}

// Type is what the help calls the value.
func (f *flagValue) Type() string { return f.setting.Arg }

// Markdown is the table of all settings for docs/CONFIG.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| flag | environment | default | wanted | meaning |\n|---|---|---|---|---|\n")
	for i := range Settings {
		s := &Settings[i]
		shown, repeat := s.Shown, ""
		if s.Default != "" {
			shown = "`" + s.Default + "`"
		}
		if s.repeats() {
			repeat = " (repeatable)"
		}
		fmt.Fprintf(&b, "| `--%s %s`%s | `%s` | %s | %s | %s |\n", s.Name, s.Arg, repeat,
			strings.Join(s.Env, "`, else `"), shown, s.wants(), s.Help)
	}
	return b.String()
}
