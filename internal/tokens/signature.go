package tokens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// keepBest keeps the best units that fit into room bytes, and in any case the best one.
func keepBest(units []unit, room int) {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := units[a].score, units[b].score; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for k, i := range order {
		if n := len(units[i].text) + 1; k == 0 || n <= room && units[i].score > -1 {
			units[i].keep = true
			room -= n
		}
	}
}

// alarmWords are words by which a line of a log asks for attention.
var alarmWords = []string{"error", "fail", "panic", "fatal", "exception", "warn"}

// signature reports whether a line of code looks like the head of a definition.
func signature(line string) bool {
	fields := strings.Fields(line)
	for k, word := range fields[:min(len(fields), 4)] {
		if definitionWords[strings.TrimRight(word, "(:{")] {
			return k+1 < len(fields) || len(fields) > 1
		}
		if !modifiers[word] {
			return false
		}
	}
	return false
}

var definitionWords = lexical.WordSet("func def class type struct interface fn impl trait enum module package namespace function record protocol extension object union " +
	"macro defmodule defp defn data newtype instance sub proc fun message service rpc table create CREATE")

var modifiers = lexical.WordSet("public private protected internal static async export default abstract final override virtual inline const pub pub(crate) unsafe extern " +
	"open sealed partial data case template declare mut constexpr explicit")

// joinLines puts the kept lines behind each other, with a mark for each run that is left out. A single line is no
// longer than its mark as a rule: it is kept where that is so.
func joinLines(units []unit) string {
	var b strings.Builder
	for i := 0; i < len(units); {
		end := i
		for end < len(units) && !units[end].keep {
			end++
		}
		if end > i {
			indent := units[i].text[:len(units[i].text)-len(strings.TrimLeft(units[i].text, " \t"))]
			mark := fmt.Sprintf("%s… %d lines", indent, end-i)
			if end-i == 1 {
				mark = indent + "… 1 line"
			}
			if size(units[i:end]) <= len(mark)+1 {
				for ; i < end; i++ {
					b.WriteString(units[i].text + "\n")
				}
			} else {
				b.WriteString(mark + "\n")
			}
			i = end
			continue
		}
		b.WriteString(units[i].text + "\n")
		i++
	}
	return strings.TrimSuffix(b.String(), "\n")
}
