package obs

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// The metrics of this process: those that are registered, and those that are only declared yet.
var (
	registry = prometheus.NewRegistry()
	declared struct {
		sync.Mutex
		all []prometheus.Collector
	}
)

// Metric declares a metric of this process; it is registered once somebody asks for the [Registry]. Registering starts
// a goroutine and waits for it, for each metric: in an initialiser of a package, which may not leave its thread, that
// is two switches of threads and more. The 20 metrics took a command that serves none of them a tenth of its time.
func Metric[C prometheus.Collector](c C) C {
	declared.Lock()
	defer declared.Unlock()
	declared.all = append(declared.all, c)
	return c
}

// Registry collects the metrics of this process. It panics where two are declared with one name.
func Registry() *prometheus.Registry {
	declared.Lock()
	defer declared.Unlock()
	registry.MustRegister(declared.all...)
	declared.all = nil
	return registry
}
