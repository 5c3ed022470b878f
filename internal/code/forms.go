package code

// forms are the counts that the first byte of a posting can tell, and up to which gap it can: the number of chunks without the
// term since its posting before, or since the file's first chunk. The last form has no counts: they follow. Chosen for the fewest
// bytes on 3.7 million postings of 42 projects in 19 languages: 1.36 each. Order and numbers are stored: with any of them the
// version of the blob changes.
var forms = [...]struct {
	tf  [NumFields]uint16
	gap int
}{
	{[NumFields]uint16{Body: 1}, 19},
	{[NumFields]uint16{Body: 2}, 8},
	{[NumFields]uint16{Body: 3}, 4},
	{[NumFields]uint16{Body: 4}, 3},
	{[NumFields]uint16{Body: 5}, 2},
	{[NumFields]uint16{Body: 6}, 1},
	{[NumFields]uint16{Body: 7}, 1},
	{[NumFields]uint16{Body: 8}, 1},
	{[NumFields]uint16{Body: 9}, 1},
	{[NumFields]uint16{Comment: 1}, 17},
	{[NumFields]uint16{Comment: 2}, 5},
	{[NumFields]uint16{Comment: 3}, 2},
	{[NumFields]uint16{Comment: 4}, 1},
	{[NumFields]uint16{Comment: 5}, 1},
	{[NumFields]uint16{Context: 1}, 1},
	{[NumFields]uint16{Context: 2}, 1},
	{[NumFields]uint16{Body: 1, Comment: 1}, 2},
	{[NumFields]uint16{Body: 1, Comment: 2}, 1},
	{[NumFields]uint16{Body: 2, Comment: 1}, 1},
	{[NumFields]uint16{Body: 2, Comment: 2}, 1},
	{[NumFields]uint16{Body: 3, Comment: 1}, 1},
	{[NumFields]uint16{Body: 4, Comment: 1}, 1},
	{[NumFields]uint16{Body: 1, Defs: 1}, 4},
	{[NumFields]uint16{Body: 2, Defs: 1}, 2},
	{[NumFields]uint16{Body: 2, Defs: 2}, 1},
	{[NumFields]uint16{Body: 3, Defs: 1}, 1},
	{[NumFields]uint16{Body: 4, Defs: 1}, 1},
	{[NumFields]uint16{Body: 1, Comment: 1, Defs: 1}, 1},
	{[NumFields]uint16{Body: 1, Comment: 2, Defs: 1}, 1},
	{[NumFields]uint16{Body: 2, Comment: 1, Defs: 1}, 1},
	{[NumFields]uint16{Body: 1, Context: 1}, 1},
	{[NumFields]uint16{Body: 2, Context: 1}, 1},
	{[NumFields]uint16{Comment: 1, Context: 1}, 1},
	{[NumFields]uint16{}, 4},
}

var (
	postingCodes [256]postingCode
	formCodes    [len(forms)]uint8 // of a form's first gap
	formOf       [1 << 11]uint8    // form by formKey; the last where there is none
)

func init() {
	for i := range formOf {
		formOf[i] = uint8(len(forms) - 1)
	}
	code := 0
	for i := range forms {
		f := &forms[i]
		formCodes[i] = uint8(code)
		if k, ok := formKey(&f.tf); ok && i < len(forms)-1 {
			formOf[k] = uint8(i)
		}
		for gap := range f.gap + 1 {
			c := postingCode{tf: f.tf, gap: uint8(gap)}
			if gap == f.gap {
				c.more |= moreGap
			}
			if i == len(forms)-1 {
				c.more |= moreCounts
			}
			postingCodes[code], postingCodes[code+1] = c, c
			code += 2
		}
	}
}

// formKey numbers small counts.
func formKey(tf *[NumFields]uint16) (key int, ok bool) {
	b, c, d, x := tf[Body], tf[Comment], tf[Defs], tf[Context]
	return int(b&15 | c&7<<4 | d&3<<7 | x&3<<9), b < 16 && c < 8 && d < 4 && x < 4
}
