package redisearch

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// oneThread is a server that does one thing at a time, in the order in which it was asked, a trip away.
type oneThread struct {
	turn chan struct{}
	trip time.Duration
}

func (s *oneThread) do(cost time.Duration) (took time.Duration) {
	began := time.Now()
	time.Sleep(s.trip / 2)
	s.turn <- struct{}{}
	time.Sleep(cost)
	<-s.turn
	time.Sleep(s.trip / 2)
	return time.Since(began)
}

// write sends calls of four chunks at the pace of p.
func (s *oneThread) write(p *pace, calls int, chunk time.Duration) (took time.Duration) {
	began := time.Now()
	p.answered(s.do(0))
	all := slices.Repeat([]call{{weight: weightCall + 4*weightChunk}}, calls)
	for len(all) > 0 {
		n, weight := p.fit(all)
		time.Sleep(p.sent(weight, s.do(time.Duration(n)*4*chunk)))
		all = all[n:]
	}
	return time.Since(began)
}

// ask asks for a search every 20 ms until stop is closed, and returns the 99th percentile of what they took.
func (s *oneThread) ask(cost time.Duration, stop <-chan struct{}) time.Duration {
	var all []time.Duration
	for {
		select {
		case <-stop:
			slices.Sort(all)
			return all[len(all)*99/100]
		case <-time.After(20 * time.Millisecond):
			all = append(all, s.do(cost))
		}
	}
}

// TestSearchesBesideAWriterTakeAtMostTwiceAsLong: on a clock of its own, so the figures are the same every time.
func TestSearchesBesideAWriterTakeAtMostTwiceAsLong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                string
		trip, chunk, search time.Duration
	}{
		{"small searches", 100 * time.Microsecond, 200 * time.Microsecond, time.Millisecond},
		{"large searches", 100 * time.Microsecond, 300 * time.Microsecond, 6 * time.Millisecond},
		{"a server afar", 3 * time.Millisecond, 300 * time.Microsecond, 6 * time.Millisecond},
		{"chunks that are cheap", 100 * time.Microsecond, 20 * time.Microsecond, 2 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &oneThread{make(chan struct{}, 1), tc.trip}
			const calls = 2000
			work := calls * 4 * tc.chunk
			alone := s.write(new(pace), calls, tc.chunk)
			if alone > work*2 {
				t.Errorf("%s: a write alone takes %v, of which the server works %v", tc.name, alone, work)
			}
			stop := make(chan struct{})
			p99 := make(chan time.Duration)
			go func() { p99 <- s.ask(tc.search, stop) }()
			beside := s.write(new(pace), calls, tc.chunk)
			close(stop)
			idle := tc.trip + tc.search
			if busy := <-p99; busy > 2*idle {
				t.Errorf("%s: 99 of 100 searches take up to %v, %v on an idle server", tc.name, busy, idle)
			}
			if beside > 3*alone {
				t.Errorf("%s: the write takes %v beside searches, %v alone", tc.name, beside, alone)
			}
			t.Logf("%s: work %v, alone %v, beside searches %v", tc.name, work, alone, beside)
		})
	}
}

// TestPaceFitsPipelinesToTheServer: each case tells how long pipelines take, by their weight.
func TestPaceFitsPipelinesToTheServer(t *testing.T) {
	t.Parallel()
	const us = time.Microsecond
	linear := func(chunk time.Duration) func(weight int) time.Duration {
		return func(weight int) time.Duration { return 100*us + time.Duration(weight)*chunk/weightChunk }
	}
	for _, tc := range []struct {
		name        string
		took        func(weight int) time.Duration
		least, most int // chunks of a pipeline in the end
		atRest      bool
	}{
		{"fast", linear(10 * us), 50, batchCommands, true},
		{"as measured", linear(300 * us), 2, 3, true},
		{"a graph", linear(2 * time.Millisecond), 1, 1, true},
		{"others wait too", func(w int) time.Duration { return linear(300*us)(w) + 20*time.Millisecond }, 1, batchCommands, false},
	} {
		p := new(pace)
		p.answered(100 * us)
		for range 100 {
			w := p.weight()
			if pause := p.sent(w, tc.took(w)); pause > tc.took(w) {
				t.Fatalf("%s: a pause of %v after %v", tc.name, pause, tc.took(w))
			}
		}
		if n := p.weight() / weightChunk; n < tc.least || n > tc.most {
			t.Errorf("%s: %d chunks at once, want %d to %d", tc.name, n, tc.least, tc.most)
		}
		if tc.atRest && p.pause > 0 {
			t.Errorf("%s: pauses of %v", tc.name, p.pause)
		}
	}
}

func TestPaceLeavesABusyServerRoomAndComesBack(t *testing.T) {
	t.Parallel()
	const own = time.Millisecond
	p := new(pace)
	p.answered(100 * time.Microsecond)
	for range 50 {
		p.sent(weightFirst, 100*time.Microsecond+own)
	}
	if p.pause != 0 {
		t.Errorf("alone it pauses for %v", p.pause)
	}
	for range 10 { // behind others
		p.sent(weightFirst, 100*time.Microsecond+own+10*time.Millisecond)
	}
	if p.pause != own {
		t.Errorf("behind others it pauses for %v, want as long as it takes, %v", p.pause, own)
	}
	for range 16 {
		p.sent(weightFirst, 100*time.Microsecond+own)
	}
	if p.pause != 0 {
		t.Errorf("alone again it pauses for %v", p.pause)
	}
}
