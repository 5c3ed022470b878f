// Package deploy checks the files in this folder and docs/OPERATIONS.md against what they speak of. What runs them
// (Docker, systemd, Prometheus) is not needed.
package deploy

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// variables are the environment variables that are settings.
func variables() map[string]bool {
	all := map[string]bool{"CONTEXTD_TOKEN": true} // stands beside the table, as it is no flag
	for _, s := range config.Settings {
		for _, v := range s.Env {
			all[v] = true
		}
	}
	return all
}

// Each variable CONTEXTD_… of the files is a setting, or one of the compose file's own, which it gives a value or asks
// for.
func TestSettingsOfTheFilesExist(t *testing.T) {
	t.Parallel()
	known := variables()
	name := regexp.MustCompile(`CONTEXTD_[A-Z_]+`)
	for _, file := range []string{
		"../docker-compose.yml", "contextd-indexer.service", "contextd-retriever.service", "../Dockerfile",
	} {
		text := read(t, file)
		for _, v := range name.FindAllString(text, -1) {
			if !known[v] && !strings.Contains(text, "${"+v+":") {
				t.Errorf("%s: %s is no setting", file, v)
			}
		}
	}
}

type service struct {
	Image, User string
	Build       struct {
		Context, Target string
		Args            map[string]string
	}
	Command      []string
	Profiles     []string
	ReadOnly     bool     `yaml:"read_only"`
	CapDrop      []string `yaml:"cap_drop"`
	SecurityOpt  []string `yaml:"security_opt"`
	Restart      string
	GracePeriod  string                                `yaml:"stop_grace_period"`
	DependsOn    map[string]struct{ Condition string } `yaml:"depends_on"`
	Environment  map[string]string
	Volumes      []string
	Tmpfs, Ports []string
	Healthcheck  struct {
		Test        []string
		Interval    string
		Timeout     string
		Retries     int
		StartPeriod string `yaml:"start_period"`
	}
}

func TestComposeFileIsWhole(t *testing.T) {
	t.Parallel()
	var f struct {
		Name     string
		Hardened yaml.Node `yaml:"x-hardened"`
		Services map[string]service
		Volumes  map[string]any
	}
	d := yaml.NewDecoder(strings.NewReader(read(t, "..", "docker-compose.yml")))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	redis, indexer, server, retriever := f.Services["redis"], f.Services["indexer"], f.Services["server"],
		f.Services["retriever"]
	if len(f.Services) != 4 || !regexp.MustCompile(`^\$\{CONTEXTD_REDIS_IMAGE:-redis:8\.\d+\.\d+\}$`).MatchString(
		redis.Image) || len(redis.Healthcheck.Test) == 0 || !slices.Contains(redis.Volumes, "redis:/data") ||
		!slices.Contains(redis.Command, "noeviction") || redis.Environment["REDISCLI_AUTH"] == "" ||
		!strings.HasPrefix(redis.Command[slices.Index(redis.Command, "--requirepass")+1],
			"${CONTEXTD_REDIS_PASSWORD:?") {
		t.Errorf("services %v; redis %+v", len(f.Services), redis)
	}
	for _, name := range []string{"redis", "state"} {
		if _, ok := f.Volumes[name]; !ok {
			t.Errorf("no volume %q", name)
		}
	}
	docker := read(t, "..", "Dockerfile")
	for name, s := range map[string]service{"indexer": indexer, "server": server, "retriever": retriever} {
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || len(s.SecurityOpt) != 1 ||
			strings.HasPrefix(s.User, "0") || s.User == "" {
			t.Errorf("%s is not hardened: %+v", name, s)
		}
		if s.DependsOn["redis"].Condition != "service_healthy" ||
			s.Environment["CONTEXTD_REDIS"] != "redis://:${CONTEXTD_REDIS_PASSWORD}@redis:6379" {
			t.Errorf("%s does not wait for redis, or uses another: %+v", name, s)
		}
		if !slices.Contains(s.Volumes, "${CONTEXTD_ROOT}:${CONTEXTD_ROOT}:ro") {
			t.Errorf("%s does not see the sandboxes at their own paths: %v", name, s.Volumes)
		}
		if s.Build.Context != "." || !strings.Contains(docker, " AS "+s.Build.Target+"\n") {
			t.Errorf("%s is built from %+v", name, s.Build)
		}
	}
	if !slices.Equal(retriever.Profiles, []string{"tools"}) {
		t.Errorf("the retriever starts with the others: %v", retriever.Profiles)
	}
	for name, s := range map[string]service{"server": server, "retriever": retriever} { // both complete tasks
		if !slices.Contains(s.Volumes, "state:/var/lib/contextd") {
			t.Errorf("%s does not keep its audit log: %v", name, s.Volumes)
		}
	}
	if !slices.Equal(server.Command, []string{"serve"}) ||
		!strings.HasPrefix(server.Environment["CONTEXTD_TOKEN"], "${CONTEXTD_TOKEN:?") || server.Restart == "" {
		t.Errorf("the server %+v", server)
	}
	for name, s := range f.Services {
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: port %q is open to the network", name, p)
			}
		}
	}
}

func TestImagesAreSmallAndNotRoot(t *testing.T) {
	t.Parallel()
	text := read(t, "..", "Dockerfile")
	for _, want := range []string{
		"\nFROM scratch AS base\n", "\nUSER 65532:65532\n", "CGO_ENABLED=0", "-trimpath", "THIRD_PARTY_LICENSES.txt",
		"\nHEALTHCHECK ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("Dockerfile lacks %q", want)
		}
	}
	mod := read(t, "..", "go.mod")
	if m := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(mod); m == nil ||
		!strings.Contains(text, "golang:"+m[1]+"\n") {
		t.Errorf("the Dockerfile's Go is not that of go.mod (%v)", m)
	}
	ignore := read(t, "..", ".dockerignore")
	for _, dir := range []string{"cmd", "internal", "tools/dist", "go.mod", "go.sum"} {
		if !strings.Contains(ignore, "\n!"+dir+"\n") {
			t.Errorf(".dockerignore keeps %q out", dir)
		}
	}
}

func TestUnitsStopAndAreConfined(t *testing.T) {
	t.Parallel()
	for file, run := range map[string]string{
		"contextd-indexer.service":   "ExecStart=/usr/local/bin/indexer run ",
		"contextd-retriever.service": "ExecStart=/usr/local/bin/retriever serve ",
	} {
		text := read(t, file)
		for _, want := range []string{run, "StateDirectoryMode=0700", "TimeoutStopSec=15s", "NoNewPrivileges=yes",
			"ProtectSystem=strict", "CapabilityBoundingSet=\n", "MemoryDenyWriteExecute=yes", "User=contextd"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", file, want)
			}
		}
	}
}

// Each metric that the sources declare is documented, and the other way round; a test of package daemon compares a
// daemon's with what it serves.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	name, declared := regexp.MustCompile(`"(contextd_[a-z_]+)"`), map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range name.FindAllStringSubmatch(read(t, path), -1) {
			declared[m[1]] = true
		}
		return nil
	})
	if err != nil || len(declared) < 20 {
		t.Fatal(len(declared), err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(contextd_[a-z_]+)(?:\\{[a-z_,]+\\})?` \\|").FindAllStringSubmatch(
		read(t, "..", "docs", "OPERATIONS.md"), -1) {
		documented[m[1]] = true
	}
	if !maps.Equal(declared, documented) {
		t.Errorf("declared %q\ndocumented %q", slices.Sorted(maps.Keys(declared)), slices.Sorted(maps.Keys(documented)))
	}
}

// Each metric of an alert is one of the documented ones; each alert is explained.
func TestAlertsSpeakOfMetricsThatExist(t *testing.T) {
	t.Parallel()
	doc := read(t, "..", "docs", "OPERATIONS.md")
	var f ruleFile
	decode(t, "alerts.yml", &f)
	metric := regexp.MustCompile(`contextd_[a-z_]+`)
	seen, recorded := 0, 0
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Record != "" {
				recorded++
				if !strings.Contains(doc, "`"+r.Record+"`") {
					t.Errorf("rule %q: want it in docs/OPERATIONS.md", r.Record)
				}
			} else if seen++; r.Labels["severity"] == "" || r.Annotations["summary"] == "" ||
				!strings.Contains(doc, r.Alert) {
				t.Errorf("alert %q: want a severity, a summary and a line in docs/OPERATIONS.md", r.Alert)
			}
			for _, m := range metric.FindAllString(r.Expr, -1) {
				if name := strings.TrimSuffix(m, "_bucket"); !strings.Contains(doc, "| `"+name+"` |") &&
					!strings.Contains(doc, "| `"+name+"{") {
					t.Errorf("alert %q: no metric %q", r.Alert, m)
				}
			}
		}
	}
	if seen < 10 || recorded < 4 {
		t.Errorf("%d alerts, %d recorded shares", seen, recorded)
	}
}

func TestEveryReasonIsExplained(t *testing.T) {
	t.Parallel()
	doc := read(t, "..", "docs", "OPERATIONS.md")
	section := func(title string) string {
		_, rest, ok := strings.Cut(doc, "\n### "+title)
		if !ok {
			t.Fatalf("no section %q", title)
		}
		rest, _, _ = strings.Cut(rest, "\n### ")
		return rest
	}
	want := func(title string, reasons ...string) {
		text := section(title)
		rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(text, -1)
		if len(rows) != len(reasons) {
			t.Errorf("%s: %d rows for %d reasons", title, len(rows), len(reasons))
		}
		for _, r := range reasons {
			if !strings.Contains(text, "\n| `"+r+"` |") {
				t.Errorf("%s: %q is not explained", title, r)
			}
		}
	}
	want("Of an answer", string(retrieve.IndexMissing), string(retrieve.IndexBuilding), string(retrieve.IndexStale),
		string(retrieve.Backlog), string(retrieve.RedisUnreachable), string(retrieve.RedisAuth),
		string(retrieve.SearchUnsupported), string(retrieve.EmbedderUnavailable), string(retrieve.Deadline),
		string(retrieve.StoreFull), string(retrieve.StateRebuilt), string(retrieve.ChangesWaiting),
		string(retrieve.VectorsBuilding), string(retrieve.GenerationBehind))
	var names []string
	for _, r := range gates.Reasons() {
		names = append(names, string(r))
	}
	want("Of a candidate", names...)
	names = nil
	for _, r := range []code.Reason{code.OutsideRoot, code.Missing, code.NotRegular, code.NameEncoding, code.VCS,
		code.Worktree, code.Ignored, code.SecretName, code.Vendored, code.BuildOutput, code.Lockfile, code.TooLarge,
		code.Unreadable, code.Binary, code.LFSPointer, code.SecretContent,
		code.Generated, code.Minified, code.CapFiles, code.CapBytes, code.CapMemory} {
		names = append(names, string(r))
	}
	want("Of a file", names...)
}

// Links between the documents lead to files.
func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../docs/*.md")
	files = append(files, "../README.md")
	if len(files) < 5 {
		t.Fatalf("documents %v", files)
	}
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	for _, file := range files {
		for _, m := range link.FindAllStringSubmatch(read(t, file), -1) {
			target := file
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(file), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %q leads nowhere", file, m[1])
			} else if m[2] != "" && filepath.Ext(target) == ".md" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s: link to %q: no heading of that name", file, m[1]+"#"+m[2])
			}
		}
	}
}

// anchors are the headings of a document as links name them.
func anchors(text string) (all []string) {
	for _, m := range regexp.MustCompile("(?m)^#+ (.+)$").FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

func TestIndexOfTheDocumentsListsEachPage(t *testing.T) {
	t.Parallel()
	index := read(t, "..", "docs", "README.md")
	files, _ := filepath.Glob("../docs/*.md")
	if len(files) < 20 {
		t.Fatalf("documents %v", files)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if row := "\n| [" + strings.TrimSuffix(name, ".md") + "](" + name; name != "README.md" &&
			!strings.Contains(index, row) {
			t.Errorf("docs/README.md: want a row that begins with %q", row[1:])
		}
	}
	if !strings.Contains(read(t, "..", "README.md"), "](docs/README.md)") {
		t.Error("README.md: want a link to docs/README.md")
	}
}
