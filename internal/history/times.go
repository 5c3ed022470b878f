package history

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// maxTime is the number of bytes of the longest text that can be a time.
const maxTime = 48

// layouts are the forms of ISO 8601 in use, each date with each time and zone; Go reads a fraction behind the seconds
// by itself.
var layouts = func() (all []string) {
	for _, date := range []string{time.DateOnly, "20060102"} {
		all = append(all, date)
		for _, clock := range []string{"15:04:05", "15:04", "150405", "1504", "15"} {
			for _, zone := range []string{"Z07:00", "Z0700", "Z07", ""} {
				all = append(all, date+"T"+clock+zone)
			}
		}
	}
	return append(all, "2006-002", "2006-01")
}()

// parseTime takes a time of ISO 8601, a date or a number of seconds since 1970. Without zone it is UTC.
func parseTime(raw json.RawMessage) (time.Time, bool) {
	if sec, err := strconv.ParseFloat(string(raw), 64); err == nil && sec > -1e11 && sec < 1e11 {
		return time.UnixMicro(int64(sec * 1e6)).UTC(), true
	}
	text, ok := parseJSON[string](raw)
	if !ok || len(text) > maxTime {
		return time.Time{}, false
	}
	if text = strings.ToUpper(strings.TrimSpace(text)); text == "" {
		return time.Time{}, true
	}
	text = strings.TrimSuffix(strings.Replace(text, " ", "T", 1), " UTC")
	text = strings.Replace(text, " ", "", 1) // before a zone
	text = strings.Replace(text, "\u2212", "-", 1)
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
