package lang

import "testing"

func TestLanguagesAreKnownByTheirUsualNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ts": "typescript", "py": "python", "js": "javascript", "c++": "cpp", "golang": "go", "rs": "rust",
		"yml": "yaml", "sh": "bash", "kt": "kotlin",
		"rb": "ruby", "cs": "csharp", "md": "markdown", "c#": "csharp", "C++": "cpp", " Go ": "go",
		".tsx": "typescript", "jsx": "javascript",
		"shell": "bash", "zsh": "bash", "f#": "fsharp", "objective-c": "objectivec", "mm": "objectivec",
		"hs": "haskell", "ex": "elixir", "docker": "dockerfile",
		"make": "makefile", "protobuf": "proto", "hcl": "terraform", "tf": "terraform", "python3": "python",
		"node": "javascript", "h": "c", "hpp": "cpp",
		"pl": "perl", "latex": "tex", "scss": "css", "sqlite": "sql", "txt": "text", "d": "d", "r": "r",
		"gradle": "groovy", "matlab": "matlab",
	} {
		if got, ok := Named(name); got != want || !ok {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"", " ", ".", "klingon", "go,py", "*", "../go"} {
		if got, ok := Named(name); ok {
			t.Errorf("%q is %q", name, got)
		}
	}
	for _, l := range All() {
		if got, ok := Named(l); got != l || !ok {
			t.Errorf("%q is %q, want itself", l, got)
		}
	}
	for language, names := range usualNames {
		if got, _ := Named(language); got != language {
			t.Errorf("%q, for %q, is no language", language, names)
		}
	}
}
