package openai

import "time"

// pace is how many texts a request holds, and how many requests are under way, so that a slow server answers in time.
// It is guarded by line.mu.
//
//	an answer after Timeout/20 or less   twice as many texts, up to limit
//	a slower one                         as many texts as should take Timeout/8, up to limit
//	none within Timeout                  half as many
//
// Until a batch has been answered one request goes alone: what a server makes of several at once is not known.
type pace struct {
	most     int // texts of a request
	limit    int // of most: what the server has shown to take, however fast it is
	parallel int // requests at once
}

func newPace(o Options) pace { return pace{most: o.BatchTexts, limit: o.BatchTexts, parallel: 1} }

// adjustSize adapts the batch size to the time that n texts took.
func (l *batcher) adjustSize(n int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.pace
	if took <= l.opts.Timeout/20 {
		if n >= p.most { // fewer do not tell of more
			p.most = min(p.limit, 2*p.most)
		}
		return
	}
	want := float64(n) * float64(l.opts.Timeout/8) / float64(took)
	p.most = max(1, min(p.limit, int(want)))
}

// noteAnswered records that a batch has been answered: from now on Options.Parallel requests may be in flight.
func (l *batcher) noteAnswered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pace.parallel < l.opts.Parallel {
		l.pace.parallel = l.opts.Parallel
		l.startBatches(false)
	}
}

// fresh reports whether no batch has been answered yet.
func (l *batcher) fresh() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pace.parallel == 1
}

// noteTimeout records that n texts were not answered in time.
func (l *batcher) noteTimeout(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pace.most = max(1, min(l.pace.most, n/2))
}

// noteLimit records that the server takes n texts at once, and not twice as many.
func (l *batcher) noteLimit(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pace.limit = max(1, min(l.pace.limit, n))
	l.pace.most = min(l.pace.most, l.pace.limit)
}

// size is how many texts a request should hold now.
func (l *batcher) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pace.most
}
