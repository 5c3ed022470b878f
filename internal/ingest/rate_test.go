package ingest

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEmbeddingRateAndTimeLeftAreLoggedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		rs := &embedRates{projects: map[string]*embedRate{}}
		rs.logProgress(log, "p", 12)
		for left := 11; left >= 8; left-- {
			time.Sleep(5 * time.Second)
			rs.add("p", 2)
			rs.logProgress(log, "p", left)
		}
		text := out.String()
		if strings.Count(text, "\n") != 1 || !strings.Contains(text, "texts_per_second=0.40") || !strings.Contains(text, "time_left=45s") || !strings.Contains(text, "files_left=9") {
			t.Errorf("told %q", text)
		}
		rs.end("p")
		if len(rs.projects) != 0 {
			t.Error("the rate of a run that has ended is kept")
		}
	})
}
