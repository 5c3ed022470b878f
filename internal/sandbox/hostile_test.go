//go:build unix

package sandbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/secret/secrettest"
)

// TestHostileGitFilesDoNoHarm: whatever lies about a repository is, a walk ends, gives the root's own files and nothing
// else.
func TestHostileGitFilesDoNoHarm(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"HEAD": "ref: x\n", "objects/": "", "refs/": "", "info/exclude": "a.go\n", "secret": "treasure\n"})
	repo := map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/": "", ".git/refs/": ""}
	pipe := func(name string) func(*testing.T, string) {
		return func(t *testing.T, root string) { must(t, syscall.Mkfifo(filepath.Join(root, name), 0o644)) }
	}
	sparse := func(name string, size int64) func(*testing.T, string) {
		return func(t *testing.T, root string) {
			f, err := os.Create(filepath.Join(root, name))
			must(t, err)
			_, err = f.WriteString("DIRC\x00\x00\x00\x02\x7f\xff\xff\xff")
			must(t, err)
			must(t, f.Truncate(size))
			must(t, f.Close())
		}
	}
	link := func(name, target string) func(*testing.T, string) {
		return func(t *testing.T, root string) { must(t, os.Symlink(target, filepath.Join(root, name))) }
	}
	for name, c := range map[string]struct {
		plain bool              // without a repository
		files map[string]string // more of them
		after func(*testing.T, string)
		warns string
	}{
		"a .git file that names no repository":     {plain: true, files: map[string]string{".git": "gitdir: /etc\n"}},
		"a .git file that names itself":            {plain: true, files: map[string]string{".git": "gitdir: .git\n"}},
		"a .git file that names a pipe":            {plain: true, files: map[string]string{".git": "gitdir: pipe\n"}, after: pipe("pipe")},
		"a .git file of garbage":                   {plain: true, files: map[string]string{".git": "gitdir: \x00\xff\n\n\n"}},
		"a .git file as large as can be":           {plain: true, files: map[string]string{".git": "gitdir: " + strings.Repeat("a/", 1<<18)}},
		"a .git that is a pipe":                    {plain: true, after: pipe(".git")},
		"a .git that links to itself":              {plain: true, after: link(".git", ".git")},
		"a .git that links to a device":            {plain: true, after: link(".git", "/dev/zero")},
		"a commondir that names itself":            {files: map[string]string{".git/commondir": "."}},
		"a commondir ring":                         {files: map[string]string{".git/commondir": "a", ".git/a/commondir": "..", ".git/a/objects/": "", ".git/a/refs/": ""}},
		"a commondir that leads up":                {files: map[string]string{".git/commondir": strings.Repeat("../", 500)}},
		"a commondir that is a pipe":               {after: pipe(".git/commondir")},
		"alternates that name other places":        {files: map[string]string{".git/objects/info/alternates": outside + "\n/etc\n../../..\n"}},
		"a config that includes others":            {files: map[string]string{".git/config": "[include]\npath = ../evil\n[includeIf \"gitdir:/\"]\npath=/etc/passwd\n", "evil": "[core]\nbare\n"}, warns: "/etc/passwd"},
		"a config that includes itself":            {files: map[string]string{".git/config": "[include]\n\tpath = config\n"}},
		"a binary config":                          {files: map[string]string{".git/config": strings.Repeat("\x00\xff[\"\\\n", 1<<16)}},
		"a config that never ends":                 {files: map[string]string{".git/config": "[core]\nx = \"" + strings.Repeat("\\\n", 1<<18)}},
		"a config over the limit":                  {files: map[string]string{".git/config": "[core]\nbare = true\n" + strings.Repeat("#", maxSideFile)}},
		"a config that is a pipe":                  {after: pipe(".git/config")},
		"a config that is a device":                {after: link(".git/config", "/dev/zero")},
		"an exclude file that is a pipe":           {files: map[string]string{".git/info/": ""}, after: pipe(".git/info/exclude")},
		"an exclude file that is a device":         {files: map[string]string{".git/info/": ""}, after: link(".git/info/exclude", "/dev/zero")},
		"an index that claims 2 billion entries":   {after: sparse(".git/index", 4096), warns: "damaged git index"},
		"an index of 1 GB":                         {after: sparse(".git/index", 1<<30), warns: "at most"},
		"an index that is a folder":                {files: map[string]string{".git/index/": ""}, warns: "regular file"},
		"an index that is a pipe":                  {after: pipe(".git/index"), warns: "regular file"},
		"hooks, attributes, filters and a monitor": {files: map[string]string{".git/hooks/post-checkout": "#!/bin/sh\ntouch RUN\n", ".gitattributes": "* filter=x diff=x\n", ".git/config": "[core]\nfsmonitor = touch RUN\nhooksPath = .\n[filter \"x\"]\nclean = touch RUN\n"}},
		"an ignore file that is a link":            {after: link(".gitignore", "ignored")},
		"ignore files that are pipes": {after: func(t *testing.T, root string) {
			pipe(".gitignore")(t, root)
			pipe(ownFile)(t, root)
			pipe(agentFiles[0])(t, root)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := write(t, t.TempDir(), map[string]string{"a.go": "x\n", "dir/b.go": "x\n", "ignored": "a.go\n"})
			if !c.plain {
				write(t, root, repo)
			}
			write(t, root, c.files)
			write(t, root, map[string]string{"dir/.gitignore": "c.go\n", "dir/c.go": "x\n"}) // so that the index is asked for
			if c.after != nil {
				c.after(t, root)
			}
			r := open(t, root)
			tree := walk(t, r)
			got := slices.DeleteFunc(paths(tree), func(p string) bool { return !strings.HasSuffix(p, ".go") })
			if !slices.Equal(got, []string{"a.go", "dir/b.go"}) {
				t.Errorf("walk = %q", got)
			}
			if warned := strings.Join(tree.Warnings, "\n"); c.warns == "" && warned != "" || !strings.Contains(warned, c.warns) {
				t.Errorf("warnings %q, want %q", tree.Warnings, c.warns)
			}
			if s := r.Why(t.Context(), "a.go"); s.Reason != "" {
				t.Errorf("Why = %+v", s)
			}
			if exists(filepath.Join(root, "RUN")) {
				t.Error("something was run")
			}
		})
	}
}

// TestFolderSwappedForALinkBetweenCheckAndRead: the verdict was for a file inside; what is read then is that or
// nothing.
func TestFolderSwappedForALinkBetweenCheckAndRead(t *testing.T) {
	t.Parallel()
	for _, swapped := range []string{"top", "top/mid", "top/mid/f.go"} {
		outside := write(t, t.TempDir(), map[string]string{"mid/f.go": "treasure\n", "f.go": "treasure\n"})
		root := write(t, t.TempDir(), map[string]string{"top/mid/f.go": "inside\n"})
		r := open(t, root)
		if _, s := r.Check("top/mid/f.go"); s.Reason != "" {
			t.Fatalf("Check = %+v", s)
		}
		must(t, os.Rename(filepath.Join(root, swapped), filepath.Join(root, "aside")))
		target := map[string]string{"top": outside, "top/mid": filepath.Join(outside, "mid"), "top/mid/f.go": filepath.Join(outside, "f.go")}[swapped]
		must(t, os.Symlink(target, filepath.Join(root, swapped)))
		if data, _, err := r.Read("top/mid/f.go"); err == nil {
			t.Errorf("%s swapped: Read = %q", swapped, data)
		}
		if s := r.Why(t.Context(), "top/mid/f.go"); s.Reason != code.OutsideRoot {
			t.Errorf("%s swapped: Why = %+v", swapped, s)
		}
		for _, f := range walk(t, r).Files {
			if strings.HasPrefix(f.Path, "top/mid/") {
				t.Errorf("%s swapped: a walk gives %q", swapped, f.Path)
			}
		}
	}
}

// TestRootSwappedForALink: an open root stays the folder that it was, whatever is put in its place.
func TestRootSwappedForALink(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"a.go": "treasure\n", "only-outside.go": "treasure\n"})
	top := t.TempDir()
	root := filepath.Join(top, "root")
	write(t, root, map[string]string{"a.go": "inside\n", "dir/b.go": "inside\n"})
	r := open(t, root)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		aside, link := filepath.Join(top, "aside"), filepath.Join(top, "link")
		must(t, os.Symlink(outside, link))
		for {
			os.Rename(root, aside)
			os.Rename(link, root)
			os.Rename(root, link)
			os.Rename(aside, root)
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for range 300 {
		for _, path := range []string{"a.go", "only-outside.go", filepath.Join(root, "a.go"), "dir/b.go"} {
			if data, _, _ := r.Read(path); strings.Contains(string(data), "treasure") {
				t.Errorf("Read(%q) left the root", path)
			}
		}
		if got := paths(walk(t, r)); !slices.Equal(got, []string{"a.go", "dir/b.go"}) {
			t.Errorf("walk = %q", got)
		}
	}
	close(stop)
	wg.Wait()
}

// TestTwoThousandLevels: a tree 2,000 folders deep, rules in each of them, is walked and its last file explained.
func TestTwoThousandLevels(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, err := os.OpenRoot(top)
	must(t, err)
	defer root.Close()
	const depth = 2000
	at := root
	for i := range depth {
		must(t, at.Mkdir("d", 0o755))
		if i%100 == 0 {
			must(t, at.WriteFile(".gitignore", []byte(fmt.Sprintf("no%d\n", i)), 0o644))
		}
		next, err := at.OpenRoot("d")
		must(t, err)
		if at != root {
			at.Close()
		}
		at = next
	}
	must(t, at.WriteFile("leaf.go", []byte("x\n"), 0o644))
	at.Close()
	r := open(t, top)
	leaf := strings.Repeat("d/", depth) + "leaf.go"
	if got := paths(walk(t, r)); len(got) != 1+depth/100 || got[len(got)-1] != leaf {
		t.Errorf("walk = %d files", len(got))
	}
	if s := r.Why(t.Context(), leaf); s.Reason != "" {
		t.Errorf("Why = %+v", s)
	}
	must(t, root.RemoveAll("d"))
}

// TestNamesThatHoldASecret: a file or folder whose name is a token is left out, no "!" brings it back, and the verdict
// does not repeat it.
func TestNamesThatHoldASecret(t *testing.T) {
	t.Parallel()
	token := "ghp_" + secrettest.Token(rand.New(rand.NewPCG(5, 6)), 36, secrettest.Letters+secrettest.Digits)
	root := write(t, t.TempDir(), map[string]string{token + ".go": "x\n", token + "/a.go": "x\n", "dir/key-" + token + "/sub/b.go": "x\n", "ok.go": "x\n",
		ownFile: "!" + token + ".go\n!/" + token + "/a.go\n!/dir/**\n!/dir/key-" + token + "/sub/b.go\n"})
	r := open(t, root)
	tree := walk(t, r)
	if got := paths(tree); !slices.Equal(got, []string{ownFile, "ok.go"}) {
		t.Errorf("walk = %q", got)
	}
	for _, p := range []string{token + ".go", token, token + "/a.go", "dir/key-" + token + "/sub/b.go"} {
		if s := r.Why(t.Context(), p); s.Reason != code.SecretName || s.Detail != "GitHub token in the name" {
			t.Errorf("Why(%q) = %+v", p, s)
		}
	}
	agree(t, r)
}

// TestLinkedExcludeFileIsNotTold: where a link makes another file of the user's the exclude file, its rules hold as in
// git, but the verdict does not print its lines.
func TestLinkedExcludeFileIsNotTold(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + secrettest.Token(rand.New(rand.NewPCG(7, 8)), 36, secrettest.Letters+secrettest.Digits)
	private := write(t, t.TempDir(), map[string]string{"exclude": "machine*password*\n"})
	for _, at := range []string{"info", "info/exclude"} {
		root := write(t, t.TempDir(), map[string]string{"machine x password y": "x\n", ".git/HEAD": "ref: x\n", ".git/objects/": "", ".git/refs/": "", ".gitignore": secret + "*\n"})
		if at == "info" {
			must(t, os.Symlink(private, filepath.Join(root, ".git/info")))
		} else {
			write(t, root, map[string]string{".git/info/": ""})
			must(t, os.Symlink(filepath.Join(private, "exclude"), filepath.Join(root, ".git/info/exclude")))
		}
		if s := open(t, root).Why(t.Context(), "machine x password y"); s.Reason != code.Ignored || s.Detail != "the rule at .git/info/exclude:1" {
			t.Errorf("Why = %+v", s)
		}
	}
}

// TestOwnStateAsARoot: contextd's own folder, named as a root, has nothing to give.
func TestOwnStateAsARoot(t *testing.T) {
	t.Parallel()
	state := write(t, t.TempDir(), map[string]string{"projects/x/CURRENT": "x\n", "daemon.json": "{}\n"})
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(state, link))
	for _, dir := range []string{state, link} {
		for _, exclude := range []string{state, link} {
			r := open(t, dir, Options{Exclude: []string{exclude}})
			if got := paths(walk(t, r)); len(got) != 0 {
				t.Errorf("walk of %q without %q = %q", dir, exclude, got)
			}
			if s := r.Why(t.Context(), "daemon.json"); s.Reason != code.Ignored || s.Detail != ownState {
				t.Errorf("Why = %+v", s)
			}
		}
	}
}

// TestSideFileSwappedForAPipe: a configuration file that becomes a pipe between look and read holds nobody up.
func TestSideFileSwappedForAPipe(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{"f": "x"})
	name, aside, pipe := filepath.Join(dir, "f"), filepath.Join(dir, "aside"), filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o644))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			os.Rename(name, aside)
			os.Rename(pipe, name)
			os.Rename(name, pipe)
			os.Rename(aside, name)
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for range 20_000 {
		if data, err := readStart(name, 10, false); err == nil && string(data) != "x" {
			t.Errorf("readStart = %q", data)
		}
	}
	close(stop)
	wg.Wait()
}
