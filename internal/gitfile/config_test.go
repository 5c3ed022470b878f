package gitfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitConfigKeys: values are read as git reads them.
func TestGitConfigKeys(t *testing.T) {
	t.Parallel()
	text := "# c\n[core]\n\texcludesFile = ~/my\\\"ignore # note\n ignorecase\n[Core] bare=yes ; c\n[remote \"x\"] url = a\n[core]\n\tq = \" a # b \" c  \n long = one \\\n two\n"
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got := settings(text)
	for _, key := range []string{"core.excludesfile", "core.bare", "core.q", "core.long"} {
		if want := strings.TrimSuffix(runGit(t, ".", "config", "-f", file, "--get", key), "\n"); got[key] != want {
			t.Errorf("%s = %q, git says %q", key, got[key], want)
		}
	}
	if !Bool(got["core.ignorecase"]) {
		t.Error("a key alone is not true")
	}
}

// settings are all settings of a configuration without a subsection, each to its last value.
func settings(text string) map[string]string {
	all := map[string]string{}
	EachSetting([]byte(text), func(x Setting) {
		if x.Sub == "" {
			all[x.Section+"."+x.Key] = x.Value
		}
	})
	return all
}

func FuzzGitConfig(f *testing.F) {
	for _, seed := range []string{
		"[core]\n\tbare = true\n", "[a \"b\"] c=\"d # e\" ; f\n", "[core]\nx = a \\\n b\n", "[", "[a]=",
		"\ufeff[a]\r\nb\r\n", "[a]b=\"\\",
	} {
		f.Add(seed, "bare", "va lue")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		for k, v := range settings(text) {
			if !strings.Contains(k, ".") || len(k)+len(v) > 4*len(text)+8 || len(v) > maxConfigText {
				t.Errorf("key %q, value %q of %q", k, v, text)
			}
		}
		// What is written quoted in a section of its own comes back, whatever stands before it.
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == "" && key != "" &&
			!strings.ContainsAny(value, "\"\\\n\r") &&
			!strings.ContainsAny(text, "\"\\[]") && len(key) <= maxConfigName && len(value) <= maxConfigText {
			if got := settings(text + "\n[zz]\n" + key + " = \"" + value + "\"\n")["zz."+key]; got != value {
				t.Errorf("%q came back as %q behind %q", value, got, text)
			}
		}
	})
}
