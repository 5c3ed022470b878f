package rank

import (
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

// stopwords carry no weight: they say how a question is put, not what it is about.
var stopwords = lexical.WordSet(`a an and are as at be been being but by can could did do does doing done for from had has have having how if in
	into is it its itself just may might more most must no nor not of off on once only or other our out over own same should so
	some such than that the their them then there these they this those through to too under until up upon very via was we
	were what when where whether which while who whom why will with within without would you your i me my us he she his her
	all any both each few between during before after above below again further about against`)

// genericWords are said of any code and weigh little.
var genericWords = lexical.WordSet(`implementation implement implements implemented implementing handling handle handles handled works work working
	used use uses using class classes function functions method methods code codebase file files type types support supports
	provide provides different various way ways based across defined define defines definition logic mechanism behavior
	internal internally get gets call calls called calling make makes perform performs main core module modules`)

// genericStemWords count a quarter when a file's stem holds them and the question does not.
var genericStemWords = lexical.WordSet(
	`util utils helper helpers impl base common core type types abstract default internal main lib misc manager service`)

// askingWords begin a question.
var askingWords = lexical.WordSet(`how where what which why when who does do is are can should could will would`)

// askedAlone begin a question in everyday words whatever follows; auxiliaries do after another asking word.
var (
	askedAlone  = lexical.WordSet(`what why when which who can could should does do is are will would`)
	auxiliaries = lexical.WordSet(`do does did is are was were can could should will would has have must may might often many much long far to come happens`)
	articles    = lexical.WordSet(`a an the all any each every only no one more some this that its their`)
)

// plainVerbs are words that order a change and hardly ever name a thing.
var plainVerbs = lexical.WordSet(`avoid prevent allow improve update optimize preserve ensure deprecate accept correct expose reject apply return reduce
	enable disable implement harden enforce resolve verify throw unlink rename move refactor simplify introduce convert replace migrate
	extract upgrade downgrade restore revert validate adjust treat consider propagate detect respect rework tweak unify extend
	initialize provide permit forbid restrict clarify create raise release tighten loosen normalize sanitize escape omit discard
	recognize suppress increase decrease adopt retain enhance guarantee fail delete ignore skip change use handle`)

// nounVerbs are words that order a change, or name a thing.
var nounVerbs = lexical.WordSet(`show print write read color colour block cancel map list sort order test copy trace watch filter format parse cache
	queue stream store load save search find link mark match open place point post pull push query rank report request reset route
	scan score share shift sign sleep slice start style sync tag time touch track transform trigger type update view walk wrap zip
	animate kill narrow refuse weigh carry rotate send escape suggest count display draw encode decode encrypt decrypt fetch flush
	hash invert join inject install listen measure notify paginate parallelize ping poll prefer prefix prompt publish receive
	reconnect redirect refresh register rename render repeat resize resume scroll seek select separate speed stub subscribe
	terminate translate truncate upload download validate watch shorten pick choose turn put give keep define declare delegate
	deliver dispatch drain expire expand collapse compress decompress attach detach bind connect disconnect authenticate authorize
	grant deny sanitise normalise optimise initialise serialise deserialise deserialize cover bypass capture clamp`)

// taskVerbs are said of changes to code, here in forms that stems do not join.
var taskVerbs = lexical.WordSet(`fix add adding remove don dont re make made do ensure rewrite rewrote split hide hidden drop dropped setup bump sped speed
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
