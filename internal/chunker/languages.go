package chunker

import "github.com/contextd/contextd/internal/lang"

// A language is what the passes need to know of one. All of it is data but for the functions, which see a scan and
// leave it as it is unless they find something.
type language struct {
	// for lex
	lineComments  []string
	blockComments []blockComment
	strings       string // bytes that open a string on one line with escapes
	quoted        map[byte]stringRule
	extra         string                           // more bytes at which special is asked
	commentAt     func(s *scan, i, n int) bool     // whether the line comment of n bytes at i is one
	special       func(s *scan, i int, c byte) int // handles c at i and returns where code goes on, or i
	start         func(s *scan) int                // skips what stands before the code
	docStrings    bool                             // strings in triple quotes are comments
	rawTriple     bool                             // no escapes in triple quotes
	longQuotes    bool                             // more than three quotes open a string that as many close
	classes       [256]class
	quotes        [256]*stringRule

	// for defs
	define      func(s *scan, ln int) // finds what the line ln defines
	other       func(s *scan, ln, p, mods int)
	words       map[string]word
	continues   func(s *scan, p int) continuation // nil: nothing has a body
	noBody      func(s *scan, d def, p int) bool  // whether the brace at p is not the body of d
	annotations byte                              // how annotations begin: '@', '#' for #[, '[' or 0
	indented    bool                              // bodies end by indent or a word, never by a brace
	newlines    bool                              // a line end ends a statement
	equalsBody  bool                              // "= expression" is a body
	colonBody   bool                              // ":" at the end of a line opens an indented body
	dollars     bool                              // "$" belongs to names
	modGroups   bool                              // a modifier may have a group: pub(crate)
	splitHeads  bool                              // the type may stand on a line of its own
	dotted      bool                              // types are qualified by dots
	fields      bool                              // fields of types are symbols
	properties  bool                              // "type name {" is a property
	longRegexps bool                              // regular expressions may span lines
	noDecls     bool                              // a function without a body is one all the same
	sections    bool                              // definitions are sections and end at the next
	localTypes  bool                              // functions with modifiers inside functions count
}

type blockComment struct {
	open, close string
	nested      bool
}

var (
	cBlock      = []blockComment{{open: "/*", close: "*/"}}
	nestedBlock = []blockComment{{open: "/*", close: "*/", nested: true}}
	slashes     = []string{"//"}
	hash        = []string{"#"}
)

// fillTables fills the tables that follow from the rest.
func (l *language) fillTables() *language {
	l.classes['\n'] = newline
	for _, c := range []byte("([{") {
		l.classes[c] = opening
	}
	for _, c := range []byte(")]}") {
		l.classes[c] = closing
	}
	for _, c := range l.lineComments {
		l.classes[c[0]] = special
	}
	for _, b := range l.blockComments {
		l.classes[b.open[0]] = special
	}
	for _, c := range []byte(l.strings) {
		l.classes[c] = special
		l.quotes[c] = &stringRule{close: string(c), escapes: true}
	}
	for c, q := range l.quoted {
		if q.close == "" {
			q.close = string(c)
		}
		l.classes[c] = special
		l.quotes[c] = &q
	}
	for _, c := range []byte(l.extra) {
		l.classes[c] = special
	}
	return l
}

// languageNamed is the language of that name, or one that knows nothing.
func languageNamed(name string) *language {
	all := languages()
	if l, ok := all[name]; ok {
		return l
	}
	return all[lang.Text]
}
