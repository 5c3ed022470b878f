package rerank

import (
	"errors"
	"fmt"
	"strings"
)

// maxReply bounds the text of a reply in bytes.
const maxReply = 4 << 10

// ErrReply says that a reply is no order of the candidates.
var ErrReply = errors.New("the reply is no order of the candidates")

// Parse reads an order of the numbers 1 to n and returns places from 0, each once. Numbers are separated by spaces,
// commas, semicolons or >, in brackets or a code fence or not. Those that the reply leaves out follow in the order
// given. Any other text, a number twice or one that no candidate has is an error: such a reply was not made by the
// rules, so none of it counts.
func Parse(reply string, n int) ([]int, error) {
	if len(reply) > maxReply {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrReply, maxReply)
	}
	reply = unfence(reply)
	order, seen := make([]int, 0, n), make([]bool, n)
	number, inNumber := 0, false
	end := func() error {
		if !inNumber {
			return nil
		}
		if number < 1 || number > n || seen[number-1] {
			return fmt.Errorf("%w: a number is there twice or is not from 1 to %d", ErrReply, n)
		}
		order, seen[number-1] = append(order, number-1), true
		number, inNumber = 0, false
		return nil
	}
	for _, c := range reply {
		switch {
		case c >= '0' && c <= '9':
			number, inNumber = min(10*number+int(c-'0'), n+1), true
		case strings.ContainsRune(" \t\r\n,;>[]", c):
			if err := end(); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%w: it holds other text", ErrReply)
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("%w: it holds no number", ErrReply)
	}
	for i, s := range seen {
		if !s {
			order = append(order, i)
		}
	}
	return order, nil
}

// unfence takes the code fence off that models put around lists.
func unfence(reply string) string {
	reply = strings.TrimSpace(reply)
	inner, ok := strings.CutPrefix(reply, "```")
	if !ok {
		return reply
	}
	return strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```")
}
