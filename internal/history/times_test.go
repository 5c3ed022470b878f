package history

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestUsualFormsOfISO8601AreTimes(t *testing.T) {
	t.Parallel()
	minute := time.Date(2026, 1, 11, 10, 5, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-11T10:05Z": minute, "2026-01-11T10:05": minute, "2026-01-11 10:05": minute,
		"2026-01-11t10:05z": minute, "2026-01-11T10:05:00Z": minute,
		"2026-01-11T12:05+02:00": minute, "2026-01-11T12:05+0200": minute, "2026-01-11T12:05:00+02": minute,
		"2026-01-11 12:05:00 +0200": minute, "2026-01-11 10:05:00 UTC": minute,
		"20260111T100500Z": minute, "20260111T1005Z": minute, "20260111T120500+0200": minute,
		"2026-01-11T10:05:00.000Z": minute, "2026-01-11T10:05:00,000Z": minute,
		"2026-01-11T10Z": minute.Add(-5 * time.Minute), "2026-01-11": minute.Truncate(24 * time.Hour),
		"20260111": minute.Truncate(24 * time.Hour), "2026-011": minute.Truncate(24 * time.Hour),
		"2026-01-11T10:05:00.123456789Z": minute.Add(123456789), "": {},
	} {
		raw, _ := json.Marshal(text)
		if got, ok := parseTime(raw); !ok || !got.Equal(want) {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"yesterday", "2026-13-01", "10:05", "2026-01-11T25:00Z", "11.01.2026", strings.Repeat("2", 1<<16),
	} {
		raw, _ := json.Marshal(text)
		if got, ok := parseTime(raw); ok {
			t.Errorf("%.20q is %v", text, got)
		}
	}
}
