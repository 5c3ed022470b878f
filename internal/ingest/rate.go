package ingest

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

// rateLogInterval is how often a run that waits for an embedding server logs its rate.
const rateLogInterval = 15 * time.Second

// embedRates are the embedding rates of projects, over all slices of their runs. Safe for concurrent use.
type embedRates struct {
	mu       sync.Mutex
	projects map[string]*embedRate // guarded by mu
}

// embedRate is the rate at which files get their vectors.
type embedRate struct {
	began, lastLogged time.Time
	files             int // with vectors since began
	texts             int
}

// add counts files with their texts.
func (rs *embedRates) add(project string, texts int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.get(project)
	r.files++
	r.texts += texts
}

// get returns the rate of a project. The caller holds rs.mu.
func (rs *embedRates) get(project string) *embedRate {
	r := rs.projects[project]
	if r == nil {
		now := time.Now()
		r = &embedRate{began: now, lastLogged: now}
		rs.projects[project] = r
	}
	return r
}

// end forgets a project whose run has ended.
func (rs *embedRates) end(project string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.projects, project)
}

// logProgress logs the rate and the time that left files will take, at most every rateLogInterval.
func (rs *embedRates) logProgress(log *slog.Logger, project string, left int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.get(project)
	now := time.Now()
	if now.Sub(r.lastLogged) < rateLogInterval {
		return
	}
	r.lastLogged = now
	took := now.Sub(r.began)
	rest := "unknown"
	if r.files > 0 {
		rest = (took * time.Duration(left) / time.Duration(r.files)).Round(time.Second).String()
	}
	log.Info("embedding", obs.KeyProject, project, "files", r.files, "files_left", left,
		"texts_per_second", fmt.Sprintf("%.2f", float64(r.texts)/took.Seconds()), "time_left", rest)
}
