package daemon

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

// promised are the metrics of a daemon: name, type, labels. What users' alerts and boards rely on changes only by a
// decision.
var promised = []string{
	"contextd_backend_up gauge backend",
	"contextd_embed_breaker_open gauge",
	"contextd_embed_errors_total counter kind",
	"contextd_embed_seconds histogram",
	"contextd_index_chunks gauge project",
	"contextd_index_files gauge project",
	"contextd_index_run_seconds histogram",
	"contextd_index_runs_total counter result",
	"contextd_index_skipped_total counter reason",
	"contextd_index_stale gauge project",
	"contextd_queue_dead gauge",
	"contextd_queue_dead_dropped_total counter",
	"contextd_queue_depth gauge",
	"contextd_queue_held_back gauge",
	"contextd_queue_inflight gauge",
	"contextd_queue_messages_total counter result",
	"contextd_queue_oldest_age_seconds gauge",
	"contextd_queue_pending_paths gauge",
}

var (
	sample = regexp.MustCompile(`^(contextd_[a-z_]+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? [-+.0-9eInfNa]+$`)
	label  = regexp.MustCompile(`([a-z]+)="`)
)

// scraped reads what /metrics says, in the form of promised.
func scraped(t *testing.T, body string) []string {
	t.Helper()
	types, labels := map[string]string{}, map[string]string{}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); len(f) == 4 && f[1] == "TYPE" && strings.HasPrefix(f[2], "contextd_") {
			types[f[2]] = f[3]
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "contextd_") {
				t.Errorf("line %q cannot be read", line)
			}
			continue
		}
		name := m[1]
		if types[name] == "" {
			t.Errorf("sample %q without a type", line)
		}
		var names []string
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "le" {
				names = append(names, l[1])
			}
		}
		labels[name] = strings.Join(names, ",")
	}
	var out []string
	for name, kind := range types {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", name, kind, labels[name])))
	}
	slices.Sort(out)
	return out
}

func TestMetricsAreThePromisedOnes(t *testing.T) {
	obs.EmbedErrors.WithLabelValues("outage") // there only once an embedder has failed
	both(t, func(b *bundle) {
		url, _ := b.start(nil)
		_, body := get(b.t, url+"/metrics")
		for _, m := range promised { // those without labels are there from the start
			if f := strings.Fields(m); len(f) == 2 && !slices.Contains(scraped(b.t, body), m) {
				b.t.Errorf("/metrics lacks %q at the start", m)
			}
		}
		b.push(queue.Request{Project: "refused", Root: filepath.Dir(b.root)})
		b.write(".gitignore", "*.log\n")
		b.write("x.log", "ignored\n")
		b.eventually("the promised metrics", func() string {
			_, body = get(b.t, url+"/metrics")
			if got := scraped(b.t, body); !slices.Equal(got, promised) {
				return strings.Join(got, "\n")
			}
			return ""
		})
	})
}

// The table of a daemon's metrics in the documentation is the list above.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### Of the daemon\n")
	section, _, ok := strings.Cut(section, "\n### Of the server\n")
	if !ok {
		t.Fatal("the sections of metrics are missing")
	}
	row := regexp.MustCompile("(?m)^\\| `(contextd_[a-z_]+)(?:\\{([a-z,]+)\\})?` \\| (gauge|counter|histogram) \\|")
	found := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(section, -1) {
		found[strings.TrimSpace(m[1]+" "+m[3]+" "+m[2])] = true
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, promised) {
		t.Errorf("documented:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(promised, "\n"))
	}
}
