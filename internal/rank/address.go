package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// A web address or a URI of another scheme, up to white space, a quote or a closing bracket.
var addressForm = lazily(`[A-Za-z][A-Za-z0-9+.\-]{1,15}://[^\s"'<>()\[\]{},;|` + "`" + `]+`)

// leastBeside is how many words of its own a text has to say beside an address for the address to be left out.
const leastBeside = 2

// withoutAddresses is a text with a space in the place of each web address: in an error message the address is an
// example ("failed: downloaded from https://api.example.com/repos/acme/lib"), and its words point at files that only
// share them. A text that says little else asks about the address, and is given back whole.
func withoutAddresses(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	rest := addressForm().ReplaceAllString(text, " ")
	own := 0
	for start, end := lexical.NextIdent(rest, 0); start < len(rest); start, end = lexical.NextIdent(rest, end) {
		if w := strings.ToLower(rest[start:end]); !stopwords[w] && !genericWords[w] && !askingWords[w] {
			own++
		}
	}
	if own < leastBeside {
		return text
	}
	return rest
}
