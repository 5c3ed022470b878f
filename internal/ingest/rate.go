package ingest

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

// rateEvery is how often a run that waits for an embedding server says how fast it is.
const rateEvery = 15 * time.Second

// rates are of the projects that a server makes vectors for, over all slices of their runs. Safe for concurrent use.
type rates struct {
	mu       sync.Mutex
	projects map[string]*rate // guarded by mu
}

// rate is how fast files get their vectors.
type rate struct {
	began, told time.Time
	files       int // with vectors since began
	texts       int
}

// add counts files with their texts.
func (rs *rates) add(project string, texts int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.of(project)
	r.files++
	r.texts += texts
}

// of is the rate of a project. rs.mu is held.
func (rs *rates) of(project string) *rate {
	r := rs.projects[project]
	if r == nil {
		now := time.Now()
		r = &rate{began: now, told: now}
		rs.projects[project] = r
	}
	return r
}

// end forgets a project whose run has ended.
func (rs *rates) end(project string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.projects, project)
}

// tell logs the rate and the time that left files will take, now and then.
func (rs *rates) tell(log *slog.Logger, project string, left int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.of(project)
	now := time.Now()
	if now.Sub(r.told) < rateEvery {
		return
	}
	r.told = now
	took := now.Sub(r.began)
	rest := "unknown"
	if r.files > 0 {
		rest = (took * time.Duration(left) / time.Duration(r.files)).Round(time.Second).String()
	}
	log.Info("embedding", obs.KeyProject, project, "files", r.files, "files_left", left,
		"texts_per_second", fmt.Sprintf("%.2f", float64(r.texts)/took.Seconds()), "time_left", rest)
}
