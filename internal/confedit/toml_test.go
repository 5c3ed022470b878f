package confedit

import (
	"strings"
	"testing"
)

var tomlPath = []string{"mcp_servers", "contextd"}

func TestSetTOMLKeepsEveryOtherByte(t *testing.T) {
	t.Parallel()
	const ours = "[mcp_servers.contextd]\ncommand = \"/opt/contextd/retriever\"\nargs = [\"mcp\"]\n"
	for name, c := range map[string]struct{ in, want string }{
		"nothing": {"", ours},
		"other tables": {"# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\" # o\n",
			"# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\" # o\n\n" + ours},
		"no line end":     {"a = 1", "a = 1\n\n" + ours},
		"CRLF and a mark": {"\ufeffa = 1\r\n", "\ufeffa = 1\r\n\r\n" + strings.ReplaceAll(ours, "\n", "\r\n")},
		"other binary": {
			"[mcp_servers.contextd]\ncommand = \"/old\"\nargs = [\n  \"mcp\",\n]\nstartup_timeout_sec = 20\n\n# next\n[mcp_servers.contextd.env]\nA = \"b\"\n",
			ours + "startup_timeout_sec = 20\n\n# next\n[mcp_servers.contextd.env]\nA = \"b\"\n"},
		"same": {"[mcp_servers.contextd]\nargs = ['mcp']\ncommand = '/opt/contextd/retriever'\nx = 1\n",
			"[mcp_servers.contextd]\nargs = ['mcp']\ncommand = '/opt/contextd/retriever'\nx = 1\n"},
		"header alone": {"[mcp_servers.contextd]",
			"[mcp_servers.contextd]\ncommand = \"/opt/contextd/retriever\"\nargs = [\"mcp\"]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := SetTOML([]byte(c.in), tomlPath, entry)
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Apply([]byte(c.in))
			if err != nil || string(out) != c.want {
				t.Fatalf("got %q\nwant %q (%v)", out, c.want, err)
			}
			if back, err := e.Invert().Apply(out); err != nil || string(back) != c.in {
				t.Errorf("taken back: %q, want %q (%v)", back, c.in, err)
			}
			if again, err := SetTOML(out, tomlPath, entry); again != nil || err != nil {
				t.Errorf("a second time: %v, %v", again, err)
			}
			gone, err := RemoveTOML(out, tomlPath)
			if err != nil {
				t.Fatal(err)
			}
			if out, err = gone.Apply(out); err != nil || strings.Contains(string(out), "contextd") ||
				strings.Contains(c.in, "next") != strings.Contains(string(out), "# next") {
				t.Errorf("removed: %q (%v)", out, err)
			}
		})
	}
}

func TestTOMLThatIsRefusedNamesItsPlace(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a = 1\nb = \n": "line 2, column",
		"mcp_servers = {contextd = {command = \"x\"}}\n": "by hand",
		"mcp_servers = {other = {command = \"x\"}}\n":    "cannot be edited safely",
		"mcp_servers = 3\n":                              "cannot be edited safely",
		"a = " + strings.Repeat("[", 300000):             "nested over 1000 levels deep",
		"\xff":                                           "not UTF-8",
	} {
		e, err := SetTOML([]byte(in), tomlPath, entry)
		if err == nil || !strings.Contains(err.Error(), want) || e != nil {
			t.Errorf("%.40q: %v, %v; want an error with %q", in, e, err, want)
		}
	}
}

func FuzzTOMLIsEditedAndGivenBack(f *testing.F) {
	for _, s := range []string{
		"", "a=1", "[mcp_servers.contextd]\ncommand='x'\n[mcp_servers.contextd.env]\n",
		"[[a]]\nb=\"\"\"\n[mcp_servers.contextd]\n\"\"\"\n", "[mcp_servers]\ncontextd.command='x'", "mcp_servers={}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := SetTOML(in, tomlPath, entry)
		if err != nil {
			return
		}
		out, err := e.Apply(in)
		if err != nil {
			t.Fatal(err)
		}
		if v, found, err := GetTOML(out, tomlPath...); err != nil || !found || !within(plain(entry), any(v)) {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		if back, err := e.Invert().Apply(out); err != nil || string(back) != string(in) {
			t.Fatalf("%q was given back as %q (%v)", in, back, err)
		}
		if e, err = RemoveTOML(out, tomlPath); err == nil {
			if out, err = e.Apply(out); err != nil {
				t.Fatal(err)
			}
			if _, found, err := GetTOML(out, tomlPath...); err != nil || found {
				t.Fatalf("removed from %q: %q (%v)", in, out, err)
			}
		}
	})
}
