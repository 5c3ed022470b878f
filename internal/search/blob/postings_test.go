package blob

import (
	"math"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// Every byte begins a posting of its own.
func TestTheFormsOfPostingsFillAllBytes(t *testing.T) {
	t.Parallel()
	codes := 0
	for i := range forms {
		codes += 2 * (forms[i].gap + 1)
		if k, ok := formKey(&forms[i].tf); !ok || int(formOf[k]) != i && i < len(forms)-1 {
			t.Errorf("form %d is not found by its counts", i)
		}
	}
	if codes != len(postingCodes) {
		t.Errorf("the forms have %d bytes, want %d", codes, len(postingCodes))
	}
}

func TestAnyCountsAndAnyGapComeBack(t *testing.T) {
	t.Parallel()
	counts := [][code.NumFields]uint16{{}, {14}, {15}, {0, 15}, {0, 0, 16}, {16, 0, 0, 1}, {1, 2, 3, 4}, {17, 65_535}, {65_535, 1}, {0, 0, 0, 65_535}}
	for i := range forms {
		counts = append(counts, forms[i].tf)
	}
	for _, tf := range counts {
		for _, gap := range []int{0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 18, 19, 20, 127, 128, 146, 147, 1 << 20} {
			for _, last := range []bool{false, true} {
				b := appendPosting(nil, gap, &tf, last)
				end := appendPosting(b, 0, &tf, true)
				r := blobReader{b: string(end)}
				first := r.byte()
				code := postingCodes[first]
				got, have := int(code.gap), code.tf
				if code.more&moreGap != 0 {
					got += r.gap()
				}
				if code.more&moreCounts != 0 {
					r.counts(&have)
				}
				if r.bad || r.at != len(b) || got != gap || have != tf || first&1 != 0 != last {
					t.Errorf("counts %v behind a gap of %d come back as %v behind %d, %d of %d bytes read", tf, gap, have, got, r.at, len(b))
				}
				over := blobReader{b: string(end)}
				if over.stepOver(1); last && over.at != len(b) || !last && over.at != len(end) {
					t.Errorf("counts %v behind a gap of %d: stepped over %d bytes", tf, gap, over.at)
				}
			}
		}
	}
}

// The ids of terms stand anywhere in a byte, and the last of them may stand at the very end of a blob.
func TestIDsAreFoundOnAnyShelf(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 15, 16, 31, 32, 500, 5000} {
		s := shelfOf(n)
		ids := make([]code.TermID, n)
		for i := range ids {
			ids[i] = code.TermID(uint64(i+1) * (math.MaxUint64 >> (64 - code.TermIDBits)) / uint64(n+1))
		}
		b := s.appendLows([]byte("head"), ids)
		if len(b) != 4+s.size(n) {
			t.Errorf("%d ids take %d bytes, want %d", n, len(b)-4, s.size(n))
		}
		l := lows{b: string(b), at: 4, width: s.width}
		first := 0
		for bucket := range s.buckets {
			count := 0
			for first+count < n && s.bucket(ids[first+count]) == bucket {
				count++
			}
			for i := first; i < first+count; i++ {
				if got := l.find(s.low(ids[i]), first, count); got != i {
					t.Errorf("id %d of %d is found at %d", i, n, got)
				}
				if got := l.find(s.low(ids[i]+1), first, count); got != -1 {
					t.Errorf("an id beside id %d of %d is found at %d", i, n, got)
				}
			}
			if count > 3*bucketTerms {
				t.Errorf("bucket %d of %d ids has %d", bucket, n, count)
			}
			first += count
		}
	}
}
