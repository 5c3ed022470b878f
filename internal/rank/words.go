package rank

import (
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

// stopwords carry no weight: they say how a question is put, not what it is about.
var stopwords = set(`a an and are as at be been being but by can could did do does doing done for from had has have having how if in
	into is it its itself just may might more most must no nor not of off on once only or other our out over own same should so
	some such than that the their them then there these they this those through to too under until up upon very via was we
	were what when where whether which while who whom why will with within without would you your i me my us he she his her
	all any both each few between during before after above below again further about against`)

// genericWords are said of any code and weigh little.
var genericWords = set(`implementation implement implements implemented implementing handling handle handles handled works work working
	used use uses using class classes function functions method methods code codebase file files type types support supports
	provide provides different various way ways based across defined define defines definition logic mechanism behavior
	internal internally get gets call calls called calling make makes perform performs main core module modules`)

// genericStemWords count a quarter when a file's stem holds them and the question does not.
var genericStemWords = set(`util utils helper helpers impl base common core type types abstract default internal main lib misc manager service`)

func set(words string) map[string]bool {
	fields := strings.Fields(words)
	m := make(map[string]bool, len(fields))
	for _, w := range fields {
		m[w] = true
	}
	return m
}

// askingWords begin a question.
var askingWords = set(`how where what which why when who does do is are can should`)

// taskVerbs are said of changes to code, here in forms that stems do not join.
var taskVerbs = set(`fix add adding remove don dont re make made do ensure rewrite rewrote split hide hidden drop dropped setup bump sped speed
	cleanup fixup broke break wip revert unbreak build built keep kept let lets stop`)

var taskVerbStems = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`fix add remove delete handle use avoid prevent support allow change update improve ignore optimize skip
		preserve pass ensure deprecate accept correct expose reject apply log mark include return copy delay allocate wait strip
		reduce limit enable disable warn run batch implement harden enforce serialize emit store resolve close refine schedule record invoke
		verify process call adding populate override generate throw defer unlink rename move refactor simplify introduce convert replace
		migrate extract upgrade downgrade clean restore revert validate check set switch align adjust bump stop treat consider propagate
		detect respect rework tweak merge unify extend initialize provide report permit forbid restrict clarify document
		export import create raise cache retry debounce throttle lock unlock release free bound cap tighten loosen relax wrap unwrap
		normalize sanitize escape quote trim omit discard recognize suppress increase decrease adopt fallback persist retain enhance
		guarantee fail`) {
		m[lexical.Stem(w)] = true
	}
	return m
})
