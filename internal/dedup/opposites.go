package dedup

import (
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// negators turn what follows around.
var negators = lexical.WordSet("not no never none nobody nothing neither nor cannot without avoid avoids avoiding instead rather dont doesnt didnt isnt arent wasnt wont cant shouldnt mustnt hardly")

// spelled are numbers in words.
var spelled = map[string]string{"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
	"seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
	"sixty": "60", "ninety": "90", "twice": "2"}

// opposites are groups of words of which one excludes the others; words between bars mean the same.
var opposites = []string{
	"enable on activate|enabled|enables|activated|activates / disable|disabled|disables|off|deactivate|deactivated",
	"allow|allows|allowed|permit|permits|permitted|may / forbid|forbids|forbidden|deny|denies|denied|prohibit|prohibited|ban|banned|disallow|disallowed",
	"always|every / never|sometimes", "before|prior / after|afterwards",
	"required|mandatory|obligatory / optional|voluntary",
	"increase|increases|increased|raise|raised|grow|grows / decrease|decreases|decreased|lower|lowered|reduce|reduced|shrink|shrinks",
	"add|added|adds|include|included|includes / remove|removed|removes|exclude|excluded|excludes|drop|dropped|drops",
	"synchronous|synchronously|sync|blocking / asynchronous|asynchronously|async|non-blocking|nonblocking",
	"public / private|internal",
	"minimum|min|least / maximum|max|most", "ascending|oldest / descending|newest", "encrypted / unencrypted|plaintext",
	"mutable / immutable", "stateless / stateful",
	"succeed|succeeds|succeeded|pass|passes|passed / fail|fails|failed", "true / false", "stdout / stderr",
	"left / right", "first / last", "open|opened / close|closed", "left-to-right / right-to-left",
	"sensitive|case-sensitive / insensitive|case-insensitive", "horizontal|horizontally / vertical|vertically",
	"safe / unsafe", "strict / lenient|loose", "eager|eagerly / lazy|lazily",
	"accept|accepts|accepted / reject|rejects|rejected|refuse|refuses|refused",
	"keep|keeps|kept|retain|retained / delete|deletes|deleted|discard|discards|discarded",
	"above|over|exceeds / below|under", "faster|quicker / slower", "client|browser / server", "tabs / spaces",
	"push|pushes|pushed / pull|pulls|pulled|poll|polls|polled",
	"optimistic / pessimistic", "monolith / microservice|microservices", "local|locally / remote|remotely",
	"manual|manually / automatic|automatically",
	"staging / production|prod / development|dev",
	"ms|millisecond|milliseconds / s|sec|secs|second|seconds / mins|minute|minutes / h|hr|hour|hours / d|day|days / week|weeks / month|months / year|years",
	"b|byte|bytes / kb|kib|kilobyte|kilobytes / mb|mib|megabyte|megabytes / gb|gib|gigabyte|gigabytes / tb|tib",
	"monday / tuesday / wednesday / thursday / friday / saturday / sunday",
	"hourly / daily|nightly / weekly / monthly / yearly",
	"postgres|postgresql / mysql / mariadb / sqlite / mongodb / redis / memcached / dynamodb / cassandra",
	"json / yaml / toml / xml / protobuf / csv / msgpack",
	"rest / grpc / graphql / soap", "http / https", "tcp / udp", "kafka / rabbitmq / nats / sqs", "npm / yarn / pnpm",
	"merge / rebase|rebased / squash|squashed", "utc / local-time",
	"react / vue / angular / svelte", "bcrypt / argon2 / scrypt", "cookie|cookies / localstorage",
	"linux / windows / macos", "docker / podman", "aws / gcp / azure",
}

// sideOf is the place of a word among the opposites, by the word and by its stem: group above side, from 256; sideNames
// names it.
var (
	sideOf    = map[string]int{}
	sideNames = map[int]string{}
)

func init() {
	for g, line := range opposites {
		for side, words := range strings.Split(line, " / ") {
			at := (g+1)<<8 | side
			sideNames[at] = words
			for w := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == '|' || r == ' ' }) {
				sideOf[w] = at
				if stem := lexical.Stem(w); sideOf[stem] == 0 {
					sideOf[stem] = at
				}
			}
		}
	}
}
