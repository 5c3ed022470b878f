package deploy

import (
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Record       string
			Expr, For           string
			Labels, Annotations map[string]string
		}
	}
}

// decode reads a YAML file of this folder, none of whose fields v may lack.
func decode(t *testing.T, file string, v any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, file)))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("read %q: %v", file, err)
	}
}

// promtool runs Prometheus's own checker, which CI installs.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: prometheus)")
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestAlertsFireOnTheirFaultAndNotBesideIt(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", "alerts.yml")
	promtool(t, "test", "rules", "alerts_test.yml")
}

// The test above says nothing of a rule that has no case.
func TestEveryAlertAndRecordedShareHasCases(t *testing.T) {
	t.Parallel()
	var rules ruleFile
	decode(t, "alerts.yml", &rules)
	type series struct{ Series, Values string }
	var cases struct {
		RuleFiles []string `yaml:"rule_files"`
		Every     string   `yaml:"evaluation_interval"`
		Tests     []struct {
			Name, Interval string
			Input          []series `yaml:"input_series"`
			Alerts         []struct {
				Alertname string
				At        string `yaml:"eval_time"`
				Want      []struct {
					Labels      map[string]string `yaml:"exp_labels"`
					Annotations map[string]string `yaml:"exp_annotations"`
				} `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
			Values []struct {
				Expr string
				At   string `yaml:"eval_time"`
				Want []struct {
					Labels string
					Value  float64
				} `yaml:"exp_samples"`
			} `yaml:"promql_expr_test"`
		}
	}
	decode(t, "alerts_test.yml", &cases)
	fires, waits, beside, values := map[string]bool{}, map[string]bool{}, map[string]bool{}, ""
	for _, c := range cases.Tests {
		for _, a := range c.Alerts {
			fires[a.Alertname] = fires[a.Alertname] || len(a.Want) > 0
			waits[a.Alertname] = waits[a.Alertname] || len(a.Want) == 0
		}
		for _, s := range c.Input {
			beside[c.Name] = beside[c.Name] || strings.Contains(s.Series, `="beside"`)
		}
		for _, v := range c.Values {
			values += v.Expr + "\n"
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			switch {
			case r.Record != "" && !strings.Contains(values, r.Record):
				t.Errorf("rule %q: no case in alerts_test.yml", r.Record)
			case r.Alert != "" && (!fires[r.Alert] || !waits[r.Alert] || !beside[r.Alert]):
				t.Errorf("alert %q: want a case that fires, one that does not yet, and a series \"beside\" the fault (got %t, %t, %t)",
					r.Alert, fires[r.Alert], waits[r.Alert], beside[r.Alert])
			}
		}
	}
}
