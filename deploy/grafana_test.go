package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ UID string }
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct{ RefID, Expr, LegendFormat string }
}

// board is deploy/grafana.json; expr has the variables of its expressions filled in as Grafana does.
func board(t *testing.T) []panel {
	t.Helper()
	var b struct {
		Panels     []panel
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &b); err != nil {
		t.Fatal(err)
	}
	if v := b.Templating.List; len(v) != 2 || v[0].Type != "datasource" || v[0].Query != "prometheus" ||
		v[1].Name != "instance" {
		t.Fatalf("variables %+v", v)
	}
	filled := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	for _, p := range b.Panels {
		for i := range p.Targets {
			p.Targets[i].Expr = filled.Replace(p.Targets[i].Expr)
		}
	}
	return b.Panels
}

// metric is one row of the tables of docs/OPERATIONS.md, which other tests hold to what the binaries register.
type metric struct {
	kind   string
	labels []string
}

func documented(t *testing.T) map[string]metric {
	t.Helper()
	all := map[string]metric{}
	row := regexp.MustCompile("(?m)^\\| `(contextd_[a-z_]+)(?:\\{([a-z_,]+)\\})?` \\| (gauge|counter|histogram) \\|")
	for _, m := range row.FindAllStringSubmatch(read(t, "..", "docs", "OPERATIONS.md"), -1) {
		all[m[1]] = metric{m[3], strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' })}
	}
	return all
}

// wrong says what an expression of the board gets wrong about the metrics that exist; "" if nothing.
func wrong(expr, legend string, metrics map[string]metric, recorded []string) string {
	labels := []string{"instance", "job"}
	for _, name := range regexp.MustCompile(`contextd[a-z0-9_:]+`).FindAllString(expr, -1) {
		if strings.Contains(name, ":") {
			if !slices.Contains(recorded, name) {
				return fmt.Sprintf("no rule records %q", name)
			}
			continue
		}
		base, bucket := strings.CutSuffix(name, "_bucket")
		m, ok := metrics[base]
		switch {
		case !ok:
			return fmt.Sprintf("no metric %q", name)
		case bucket != (m.kind == "histogram"):
			return fmt.Sprintf("%q is a %s", name, m.kind)
		case (m.kind == "gauge") == strings.Contains(expr, "["): // a counter says something as a rate only
			return fmt.Sprintf("a %s like %q, and a range", m.kind, name)
		}
		if bucket {
			labels = append(labels, "le")
		}
		labels = append(labels, m.labels...)
	}
	used := regexp.MustCompile(`by \(([a-z_, ]+)\)|([a-z_]+)=~?"|\{\{([a-z_]+)\}\}`)
	for _, m := range used.FindAllStringSubmatch(expr+" "+legend, -1) {
		for _, l := range strings.Split(m[1]+m[2]+m[3], ", ") {
			if !slices.Contains(labels, l) {
				return fmt.Sprintf("no label %q", l)
			}
		}
	}
	return ""
}

func TestBoardShowsMetricsThatExist(t *testing.T) {
	t.Parallel()
	var rules ruleFile
	decode(t, "alerts.yml", &rules)
	var recorded []string
	for _, r := range rules.Groups[0].Rules {
		recorded = append(recorded, r.Record)
	}
	metrics, seen := documented(t), 0
	for _, p := range board(t) {
		for _, e := range p.Targets {
			seen++
			if w := wrong(e.Expr, e.LegendFormat, metrics, recorded); w != "" {
				t.Errorf("panel %q: %s in %s", p.Title, w, e.Expr)
			}
		}
	}
	if seen < 30 || len(metrics) < 30 {
		t.Errorf("%d expressions, %d metrics", seen, len(metrics))
	}
	for expr, want := range map[string]string{"contextd_index_fresh": "no metric",
		"sum(contextd_index_files[5m])": "and a range", "contextd_retrievals_total": "and a range",
		"rate(contextd_http_seconds[5m])": "is a histogram", "contextd:hits": "no rule",
		`contextd_index_files{agent="x"}`: "no label", "sum by (kind) (contextd_index_files)": "no label"} {
		if got := wrong(expr, "", metrics, recorded); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

// promtool parses them as the expressions of rules.
func TestBoardExpressionsParse(t *testing.T) {
	t.Parallel()
	type rule struct{ Record, Expr string }
	var rules []rule
	for _, p := range board(t) {
		for _, e := range p.Targets {
			rules = append(rules, rule{fmt.Sprintf("board:%d_%s", p.ID, e.RefID), e.Expr})
		}
	}
	text, err := yaml.Marshal(map[string]any{"groups": []map[string]any{{"name": "board", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "board.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", file)
}

func TestBoardIsWholeAndNoPanelCoversAnother(t *testing.T) {
	t.Parallel()
	rows, ids, cells := map[string]int{}, map[int]bool{}, map[[2]int]string{}
	row := ""
	for _, p := range board(t) {
		if ids[p.ID] {
			t.Errorf("panel %q: its id %d is another's", p.Title, p.ID)
		}
		ids[p.ID] = true
		g := p.GridPos
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" || x > 23 {
					t.Fatalf("panel %q covers %q or leaves the board", p.Title, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			row = p.Title
			continue
		}
		rows[row]++
		if p.Title == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" ||
			len(p.Targets) == 0 {
			t.Errorf("panel %q: want a unit, the chosen source and a query: %+v", p.Title, p)
		}
	}
	for _, want := range []string{
		"Freshness", "Queue", "Runs", "Answers", "Contexts", "Precision", "Memory", "Latency",
	} {
		if rows[want] == 0 {
			t.Errorf("no panels for %q", want)
		}
	}
}
