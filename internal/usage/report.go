package usage

import "slices"

// Report is what became of a turn so far.
type Report struct {
	Turn      string   `json:"turn"`
	Shown     int      `json:"shown"`
	Used      []string `json:"used"`      // ids of items
	Refetched []string `json:"refetched"` // ids of items
	Dead      []string `json:"dead"`      // ids of items
	Missed    []string `json:"missed"`    // paths and searches
	Precision float64  `json:"precision"` // the share of the items that is used or re-fetched; 0 if there are none
}

func (t turn) report() Report {
	r := Report{Turn: t.ID, Shown: len(t.Items), Used: []string{}, Refetched: []string{}, Dead: []string{},
		Missed: append([]string{}, t.Missed...)}
	for _, it := range t.Items {
		switch it.Outcome {
		case Used:
			r.Used = append(r.Used, it.ID)
		case Refetched:
			r.Refetched = append(r.Refetched, it.ID)
		case Dead:
			r.Dead = append(r.Dead, it.ID)
		}
	}
	r.Precision = Precision{Shown: r.Shown, Used: len(r.Used), Refetched: len(r.Refetched)}.Share()
	return r
}

// judge takes feedback in and returns what it adds to what was known.
func (t *turn) judge(f Feedback) (events []event, add Precision) {
	add.AgentKind, add.Profile = t.AgentKind, t.Profile
	verdicts, missed := judge(t.Items, f)
	counted := map[string]bool{} // files of which a piece was used: each counts once a prompt
	for _, it := range t.Items {
		counted[it.Path] = counted[it.Path] || it.Outcome == Used
	}
	for i := range t.Items {
		it, v := &t.Items[i], verdicts[i]
		old := it.Outcome
		e := event{id: it.ID, kind: it.Kind, weight: max(0, v.weight-it.Weight)}
		it.Weight += e.weight
		if v.outcome.stronger(old) {
			it.Outcome = v.outcome
			e.retrieved, e.referenced = old == Open, v.outcome.referenced() && !old.referenced()
		} else if e.weight == 0 {
			continue
		}
		events = append(events, e)
		if it.Outcome == old {
			continue
		}
		add.Shown += count(e.retrieved)
		if e.retrieved {
			add.TokensGiven += it.Tokens
		}
		if it.Outcome == Used && !counted[it.Path] {
			counted[it.Path] = it.Path != ""
			add.TokensFiles += it.FileTokens
		}
		add.Used += count(it.Outcome == Used)
		add.Refetched += count(it.Outcome == Refetched) - count(old == Refetched)
	}
	for _, m := range missed {
		m = m[:min(len(m), maxMissedLen)]
		if i, ok := slices.BinarySearch(t.Missed, m); !ok && len(t.Missed) < maxMissed {
			t.Missed = slices.Insert(t.Missed, i, m)
			add.Missed++
		}
	}
	return events, add
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
