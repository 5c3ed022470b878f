package obs

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestADeclaredMetricIsToldThoughNothingMovedIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"contextd_test_early", "contextd_test_late"} {
		// the second after the registry was asked for
		g := Metric(prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: "A metric of this test."}))
		t.Cleanup(func() { Registry().Unregister(g) })
		families, err := Registry().Gather()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range families {
			found = found || f.GetName() == name
		}
		if !found {
			t.Errorf("metric %q is missing", name)
		}
	}
}
