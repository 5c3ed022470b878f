package ingest

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

// rateLogInterval is how often a run that waits for an embedding server logs its rate.
const rateLogInterval = 15 * time.Second

// embedRate is the rate at which the files of a run get their vectors; one goroutine uses it.
type embedRate struct {
	began, lastLogged time.Time
	files             int // with vectors since began
	texts             int
}

// start begins to measure, once.
func (r *embedRate) start() {
	if r.began.IsZero() {
		r.began = time.Now()
		r.lastLogged = r.began
	}
}

// add counts a file with its texts.
func (r *embedRate) add(texts int) {
	r.start()
	r.files++
	r.texts += texts
}

// logProgress logs the rate and the time that left files will take, at most every rateLogInterval.
func (r *embedRate) logProgress(log *slog.Logger, project string, left int) {
	r.start()
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
