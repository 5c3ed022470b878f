package redisearch

import (
	"sync/atomic"
	"time"
)

// pace decides how much a writer sends to the server at once, and how long it then leaves it alone. The server has one
// thread: a search waits until what it was sent before is done. So a pipeline is as large as the server does in about a
// millisecond, measured by the pipelines before it; and a writer that finds others before it in the line leaves them
// room after each pipeline, never more than it takes itself.
//
// It is pure: it is told how long things took. One goroutine tells it; weight and chunks may be asked by others.
type pace struct {
	trip  time.Duration             // to the server and back with nothing to do: the least that was seen
	costs [paceWindow]time.Duration // what each of the last pipelines took beside the trip, for each unit of its weight
	seen  int                       // pipelines so far
	line  time.Duration             // how long pipelines waited in line lately, about
	pause time.Duration             // after each pipeline
	room  atomic.Int64              // weight of the next pipeline; 0: of the first
}

const (
	paceWindow = 32               // pipelines of which the fastest tells what the server needs
	paceHold   = time.Millisecond // how long one pipeline keeps the server: two trips if these are longer, or half of
	paceLong   = 4 * paceHold     // what it waits in line, up to this: else a write on a busy machine would not end
	paceBusy   = 2                // holds that a pipeline may wait in the line before the server counts as busy

	weightCall  = 1  // what a script costs the server,
	weightChunk = 16 // and each chunk that it adds to a search index, about
	weightFirst = 2 * weightChunk
	weightMost  = batchCommands * weightChunk
)

// weight is how much the next pipeline may weigh.
func (p *pace) weight() int {
	if n := p.room.Load(); n > 0 {
		return int(n)
	}
	return weightFirst
}

// chunks is how many chunks one script may write.
func (p *pace) chunks() int { return min(max(p.weight()/weightChunk, 1), scriptChunks) }

// answered tells how long the server took for a command that is nothing to do.
func (p *pace) answered(took time.Duration) {
	if p.trip == 0 || took < p.trip {
		p.trip = took
	}
}

// sent tells what a pipeline of a weight took, and returns how long to leave the server alone.
func (p *pace) sent(weight int, took time.Duration) time.Duration {
	net := max(took-p.trip, took/4) // the trip may have been a slow one
	p.costs[p.seen%paceWindow] = max(net/time.Duration(weight), 1)
	p.seen++
	least := p.costs[0]
	for _, c := range p.costs[:min(p.seen, paceWindow)] {
		least = min(least, c)
	}
	own := least * time.Duration(weight)
	p.line += (net - own - p.line) / 8
	hold := max(paceHold, 2*p.trip, min(p.line/2, paceLong))
	// Half as much again at a time: what was measured of a small one says little about a large one.
	p.room.Store(int64(max(min(int(hold/least), p.weight()*3/2, weightMost), weightChunk)))
	if net-own > paceBusy*hold {
		p.pause = min(max(2*p.pause, own/4), own)
	} else {
		p.pause = max(min(p.pause, own)-own/16, 0)
	}
	return p.pause
}

// fit returns how many of the calls the next pipeline takes, one at least, and what they weigh.
func (p *pace) fit(calls []call) (n, weight int) {
	for most := p.weight(); n < len(calls) && (n == 0 || weight+calls[n].weight <= most); n++ {
		weight += calls[n].weight
	}
	return n, weight
}
