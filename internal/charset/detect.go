package charset

import (
	"bytes"
	"regexp"
	"slices"
)

// Bounds of what is looked at, and of what counts as known.
const (
	maxSample = 16 << 10 // bytes of lines that are not all ASCII
	headBytes = 1024     // in which a file may name its encoding

	asciiBits    = 4.5 // what an ASCII character costs in every model
	declaredBits = 30  // how much cheaper a declared encoding is
	surerBits    = 3   // how much cheaper than Western European another encoding must be
	mostBits     = 8   // per byte that is not ASCII: what costs more is no text
	slackBits    = 60  // what a few odd bytes may cost beyond that
)

// sample joins the lines of data that hold other bytes than ASCII, up to maxSample.
func sample(data []byte) []byte {
	out := make([]byte, 0, min(len(data), maxSample))
	for len(data) > 0 && len(out) < maxSample {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line = data[:i+1]
		}
		data = data[len(line):]
		if first := firstHigh(line); first >= 0 {
			line = line[max(0, first-maxSample/64):] // a long line may begin with much ASCII
			out = append(out, line[:min(len(line), maxSample-len(out))]...)
		}
	}
	return out
}

// firstHigh is where the first byte that is not ASCII stands, -1 if there is none.
func firstHigh(line []byte) int {
	return slices.IndexFunc(line, func(b byte) bool { return b >= 0x80 })
}

// detect is the encoding by which seen costs the fewest bits, and how many it costs beyond its ASCII.
func detect(seen []byte, named *candidate) (best *candidate, bits float64) {
	first, all := 0.0, candidates()
	for i := range all {
		c := &all[i]
		decoded, err := c.encoding.NewDecoder().Bytes(seen)
		if err != nil {
			continue
		}
		cost, ascii := c.model(string(decoded))
		total := cost + asciiBits*float64(ascii) + c.prior
		if c == named {
			total -= declaredBits
		}
		if i == 0 {
			first = total
		}
		if best == nil || total < bits && (best != &all[0] || total < first-surerBits) {
			best, bits = c, total
		}
	}
	ascii := 0
	for _, b := range seen {
		if b < 0x80 {
			ascii++
		}
	}
	return best, bits - asciiBits*float64(ascii)
}

var declaration = regexp.MustCompile(`(?i)(?:coding|charset)\s{0,4}[:=]\s{0,4}["']?([a-z0-9._-]{2,24})`)

// declared is the encoding that the head of data names, nil if it names none that is known.
func declared(data []byte) *candidate {
	for _, m := range declaration.FindAllSubmatch(data[:min(len(data), headBytes)], 4) {
		if c := byLabel(string(m[1])); c != nil {
			return c
		}
	}
	return nil
}
