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
		var r embedRate
		r.logProgress(log, "p", 12)
		for left := 11; left >= 8; left-- {
			time.Sleep(5 * time.Second)
			r.add(2)
			r.logProgress(log, "p", left)
		}
		text := out.String()
		if strings.Count(text, "\n") != 1 || !strings.Contains(text, "texts_per_second=0.40") || !strings.Contains(text, "time_left=45s") || !strings.Contains(text, "files_left=9") {
			t.Errorf("told %q", text)
		}
	})
}
