package recall

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/lexical"
)

// span is a range of time, its end outside.
type span struct{ from, to time.Time }

func (s span) holds(t time.Time) bool { return !t.Before(s.from) && t.Before(s.to) }

const months = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// The forms of a date: 2024-05-08, 8 May 2024, May 8 2024, May 2024. regexp runs in linear time.
var (
	isoDate   = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})(?:\b|T)`)
	dayMonth  = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (` + months + `)\b,?(?: (\d{4}))?`)
	monthDay  = regexp.MustCompile(`(?i)\b(` + months + `)\.? (\d{1,2})(?:st|nd|rd|th)?\b,?(?: (\d{4}))?`)
	monthYear = regexp.MustCompile(`(?i)\b(` + months + `),? (\d{4})\b`)
	inMonth   = regexp.MustCompile(`(?i)\b(?:in|during|since|last|this|of|early|late) (` + months + `)\b`)
	clockTime = regexp.MustCompile(`(?i)(?:\b|T)(\d{1,2}):(\d{2})(?::\d{2})? ?(am|pm)?`)
	ago       = regexp.MustCompile(`(?i)\b(\d{1,3}|a|an|one|two|three|few) (day|week|month|year)s? ago\b`)
	relative  = regexp.MustCompile(
		`(?i)\b(today|yesterday|tonight|this week|this month|this year|last night|last week|last month|last year)\b`)
	weekday = regexp.MustCompile(`(?i)\b(?:on|last|this) (sun|mon|tues|wednes|thurs|fri|satur)day\b`)
)

// maxDateSearch bounds the question that is searched for times, in bytes.
const maxDateSearch = 4096

// timeStems are the words by which a text tells when something was, is or will be, as they are compared.
var timeStems = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`yesterday today tomorrow tonight last next ago week weekend month year sunday monday tuesday wednesday thursday friday saturday
		january february march april june july august september october november december`) {
		m[baseStem(lexical.Stem(w))] = true
	}
	return m
})

// isTimeWord reports whether a word does: one of timeStems, or a year.
func isTimeWord(stem string) bool {
	return timeStems()[stem] || len(stem) == 4 && (strings.HasPrefix(stem, "19") || strings.HasPrefix(stem, "20")) &&
		number(stem) > 0
}

// findDate finds the first day that a text names in full, and where.
func findDate(text string) (s span, from, to int) {
	if m := isoDate.FindStringSubmatchIndex(text); m != nil {
		y, mo, d := number(text[m[2]:m[3]]), number(text[m[4]:m[5]]), number(text[m[6]:m[7]])
		if s, ok := day(y, time.Month(mo), d); ok {
			return s, m[0], m[1]
		}
	}
	if m := dayMonth.FindStringSubmatchIndex(text); m != nil && m[6] >= 0 {
		if s, ok := day(number(text[m[6]:m[7]]), month(text[m[4]:m[5]]), number(text[m[2]:m[3]])); ok {
			return s, m[0], m[1]
		}
	}
	if m := monthDay.FindStringSubmatchIndex(text); m != nil && m[6] >= 0 {
		if s, ok := day(number(text[m[6]:m[7]]), month(text[m[2]:m[3]]), number(text[m[4]:m[5]])); ok {
			return s, m[0], m[1]
		}
	}
	return span{}, 0, 0
}

// withClock is a day at the time that a head tells.
func withClock(head string, d time.Time) time.Time {
	m := clockTime.FindStringSubmatch(head)
	if m == nil {
		return d
	}
	h, min := number(m[1]), number(m[2])
	if m[3] != "" {
		h %= 12
		if strings.EqualFold(m[3], "pm") {
			h += 12
		}
	}
	return d.Add(time.Duration(h)*time.Hour + time.Duration(min)*time.Minute)
}

// questionTime is the range of time that a question names, as of now; false where it names none.
func questionTime(text string, now time.Time) (span, bool) {
	text = text[:min(len(text), maxDateSearch)]
	if s, _, to := findDate(text); to > 0 {
		return s, true
	}
	today := midnight(now)
	days := func(from, to int) (span, bool) { return span{today.AddDate(0, 0, from), today.AddDate(0, 0, to)}, true }
	if m := monthYear.FindStringSubmatch(text); m != nil {
		from := time.Date(number(m[2]), month(m[1]), 1, 0, 0, 0, 0, now.Location())
		return span{from, from.AddDate(0, 1, 0)}, true
	}
	for _, m := range [][]string{dayMonth.FindStringSubmatch(text), dayFirst(monthDay.FindStringSubmatch(text))} {
		if m == nil {
			continue
		}
		s, ok := day(now.Year(), month(m[2]), number(m[1]))
		if ok && s.from.After(now) {
			s, ok = day(now.Year()-1, month(m[2]), number(m[1]))
		}
		return s, ok
	}
	if m := inMonth.FindStringSubmatch(text); m != nil {
		from := time.Date(now.Year(), month(m[1]), 1, 0, 0, 0, 0, now.Location())
		if from.After(now) {
			from = from.AddDate(-1, 0, 0)
		}
		return span{from, from.AddDate(0, 1, 0)}, true
	}
	if m := ago.FindStringSubmatch(text); m != nil {
		n, ok := map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "few": 3}[strings.ToLower(m[1])]
		if !ok {
			n = number(m[1])
		}
		switch strings.ToLower(m[2]) {
		case "day":
			return days(-n, -n+1)
		case "week":
			return days(-7*n-3, -7*n+4)
		case "month":
			return days(-30*n-15, -30*n+15)
		}
		return days(-365*n-180, -365*n+180)
	}
	if m := weekday.FindStringSubmatch(text); m != nil {
		back := (int(today.Weekday()) - weekdays[strings.ToLower(m[1])] + 7) % 7
		back = cmp.Or(back, 7)
		return days(-back, -back+1)
	}
	if m := relative.FindStringSubmatch(text); m != nil {
		monday := -(int(today.Weekday()) + 6) % 7
		first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
		newYear := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())
		switch strings.ToLower(m[1]) {
		case "today", "tonight":
			return days(0, 1)
		case "yesterday", "last night":
			return days(-1, 0)
		case "this week":
			return days(monday, 1)
		case "last week":
			return days(monday-7, monday)
		case "this month":
			return span{first, today.AddDate(0, 0, 1)}, true
		case "last month":
			return span{first.AddDate(0, -1, 0), first}, true
		case "this year":
			return span{newYear, today.AddDate(0, 0, 1)}, true
		case "last year":
			return span{newYear.AddDate(-1, 0, 0), newYear}, true
		}
	}
	return span{}, false
}

var weekdays = map[string]int{"sun": 0, "mon": 1, "tues": 2, "wednes": 3, "thurs": 4, "fri": 5, "satur": 6}

// dayFirst brings month and day of a match into the order day, month.
func dayFirst(m []string) []string {
	if m != nil {
		m[1], m[2] = m[2], m[1]
	}
	return m
}

// day is a day of the calendar; false where there is no such day.
func day(year int, m time.Month, d int) (span, bool) {
	from := time.Date(year, m, d, 0, 0, 0, 0, time.UTC)
	return span{from, from.AddDate(0, 0, 1)}, from.Day() == d && from.Month() == m
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// month is one by the first three letters of its name.
func month(name string) time.Month {
	return time.Month(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name[:3]))/3 + 1)
}

func number(digits string) int { n, _ := strconv.Atoi(digits); return n }
