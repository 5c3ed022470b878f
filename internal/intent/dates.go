package intent

import (
	"regexp"
	"strings"
)

// maxDate is the number of bytes of a text that are looked at for one date.
const maxDate = 40

// dates matches a date or a time of one at the beginning of a text: 2026-01-11 with or without a time, 11.01.2026,
// 1/11/2026, Jan 5 or 5th of January with or without a year, January 2026, Q3 2026, a weekday.
var dates = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?)?`,
	`\d{4}/\d{1,2}/\d{1,2}`,
	`\d{1,2}[./]\d{1,2}[./]\d{4}`,
	months + `\.?\s(?:the\s)?\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?`,
	months + `\.?,?\s\d{4}`,
	`\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?` + months + `\.?(?:,?\s\d{4})?`,
	`q[1-4][ /-]?\d{4}`,
	`(?:mon|tues|wednes|thurs|fri|satur|sun)day`,
}, "|") + `)\b`)

const months = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// dateStarts are the first two letters of words that may begin a date.
var dateStarts = map[string]bool{"ja": true, "fe": true, "ma": true, "ap": true, "ju": true, "au": true, "se": true,
	"oc": true, "no": true, "de": true,
	"q1": true, "q2": true, "q3": true, "q4": true, "mo": true, "tu": true, "we": true, "th": true, "fr": true,
	"sa": true, "su": true}

// dateAt is the length of the date that begins text; 0 for none.
func dateAt(text string) int {
	text = text[:min(len(text), maxDate)]
	if len(text) < 2 || (text[0] < '0' || text[0] > '9') && !dateStarts[strings.ToLower(text[:2])] {
		return 0
	}
	n := len(dates.FindString(text))
	if n == 0 || n < len(text) && strings.IndexByte("/\\-_", text[n]) >= 0 { // part of a path or a name
		return 0
	}
	return n
}
