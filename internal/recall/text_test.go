package recall

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/costtest"
)

func TestHeadTellsSpeakerAndTime(t *testing.T) {
	t.Parallel()
	at := func(h, m int) time.Time { return time.Date(2024, 5, 8, h, m, 0, 0, time.UTC) }
	for _, tt := range []struct {
		text, speaker string
		said          time.Time
		rest          string
	}{
		{"Ann (1:56 pm on 8 May, 2024): the gate is open", "ann", at(13, 56), " the gate is open"},
		{"[2024-05-08 10:15] Ann: hello", "ann", at(10, 15), " hello"},
		{"Ann, May 8, 2024: hello", "ann", at(0, 0), " hello"},
		{"8 May 2024, 12:05 am, Ann Lee said: hello", "ann lee", at(0, 5), " hello"},
		{"Ann: hello", "ann", time.Time{}, " hello"},
		{"Zoë: hallo", "zoë", time.Time{}, " hallo"},
		{"李雷: 你好", "李雷", time.Time{}, " 你好"},
		{"Ann | 8 May 2024 | hello", "ann", at(0, 0), " hello"},
		{"2024-05-08T10:15:00Z - Ann - hello", "ann", at(10, 15), " hello"},
		{"speaker: Ann\ntime: 8 May 2024\ntext: hello", "ann", at(0, 0), "text: hello"},
		{`Ann said on 8 May 2024, "hello"`, "ann", at(0, 0), `hello"`},
		{"Ann — 8 May 2024 — hello", "ann", at(0, 0), " hello"},
		{"Ann - the gate is open", "", time.Time{}, "Ann - the gate is open"},
		{"Decision: use the lock", "", time.Time{}, "Decision: use the lock"},
		{"The gate of the harbour: closed", "", time.Time{}, "The gate of the harbour: closed"},
		{"use gate::open", "", time.Time{}, "use gate::open"},
		{"2024-05-08: the gate is open", "", time.Time{}, "2024-05-08: the gate is open"},
		{": hello", "", time.Time{}, ": hello"},
		{"", "", time.Time{}, ""},
	} {
		speaker, said, rest := splitHead(tt.text)
		if speaker != tt.speaker || !said.Equal(tt.said) || tt.text[rest:] != tt.rest {
			t.Errorf("%q: %q, %v, %q; want %q, %v, %q", tt.text, speaker, said, tt.text[rest:], tt.speaker,
				tt.said, tt.rest)
		}
	}
}

func TestQuestionsNameTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 15, 14, 30, 0, 0, time.UTC) // a Wednesday
	for _, tt := range []struct{ question, from, to string }{
		{"what did we decide yesterday?", "2024-05-14", "2024-05-15"},
		{"what came today", "2024-05-15", "2024-05-16"},
		{"what broke last week", "2024-05-06", "2024-05-13"},
		{"what broke this week", "2024-05-13", "2024-05-16"},
		{"what broke last month", "2024-04-01", "2024-05-01"},
		{"what broke last year", "2023-01-01", "2024-01-01"},
		{"the failure two days ago", "2024-05-13", "2024-05-14"},
		{"what was it 3 weeks ago", "2024-04-21", "2024-04-28"},
		{"what happened in March", "2024-03-01", "2024-04-01"},
		{"what happened in December", "2023-12-01", "2024-01-01"},
		{"what happened in May 2022", "2022-05-01", "2022-06-01"},
		{"what happened on 8 May", "2024-05-08", "2024-05-09"},
		{"what happened on June 3rd", "2023-06-03", "2023-06-04"},
		{"what happened on 2024-02-29", "2024-02-29", "2024-03-01"},
		{"what did Ann say last Friday", "2024-05-10", "2024-05-11"},
		{"what did Ann say on Wednesday", "2024-05-08", "2024-05-09"},
		{"may we close the gate", "", ""},
		{"what happened on 31 February", "", ""},
		{"which gate is open", "", ""},
	} {
		s, ok := questionTime(tt.question, now)
		from, to := "", ""
		if ok {
			from, to = s.from.Format(time.DateOnly), s.to.Format(time.DateOnly)
		}
		if from != tt.from || to != tt.to {
			t.Errorf("%q: %q to %q, want %q to %q", tt.question, from, to, tt.from, tt.to)
		}
	}
}

func TestReadingTakesLinearTime(t *testing.T) {
	for _, unit := range []string{"gate ", "2024-05-08 ", "a:", "8 May ", "[", "Ann: "} {
		read := func(n int) func() {
			text := strings.Repeat(unit, n)
			return func() {
				questionTime(text, time.Now())
				Read(text)
			}
		}
		// were it quadratic, 16
		costtest.Linear(t, fmt.Sprintf("8,000 times %q", unit), 12, time.Millisecond, read(8000), read(32_000))
	}
}

// FuzzScore holds that any text and any question give scores from 0 to below 1.
func FuzzScore(f *testing.F) {
	f.Add("Ann (8 May 2024): the gate?", "when did Ann open it last week", 0.4)
	f.Add("[2024-13-99] : x", "\xff\x00 31 February", math.NaN())
	f.Add("99:99 pm Ann: sept 0 9999", "in sept 9999 0 days ago", math.Inf(1))
	f.Fuzz(func(t *testing.T, text, question string, cosine float64) {
		items := []Item{{Text: Read(text, question), Cosine: cosine, Turn: true, Agent: text},
			{Text: Read(question), Saved: time.Unix(1, 0)}, {Text: Read(text + ": " + question)}}
		for i, s := range Score(question, time.Unix(1e9, 0), items) {
			if !(s >= 0 && s < 1) {
				t.Errorf("item %d of %q and %q: %v", i, text, question, s)
			}
		}
	})
}
