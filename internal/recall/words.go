package recall

import (
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

// stopWords say little of what a question is about.
const stopWords = `a an the is are was were be been being do does did done have has had having i you he she it we they me him her us them
	my your his its our their this that these those and or but if of in on at to for with from by about as into what which who whom whose when where
	why how not no so than too very can could will would should may might just any some all there here then ll re ve don kind type sort many much`

// irregular are forms of English words whose stems do not tell that they belong together; the first of a line stands
// for all.
const irregular = `become became
	begin began begun
	bind bound
	bite bit bitten
	blow blew blown
	break broke broken
	bring brought
	build built
	buy bought
	catch caught
	child children
	choose chose chosen
	come came
	dad father
	deal dealt
	decide decision
	dig dug
	draw drew drawn
	drink drank drunk
	drive drove driven
	eat ate eaten
	fall fell fallen
	feed fed
	feel felt
	fight fought
	find found
	fly flew flown
	forget forgot forgotten
	freeze froze frozen
	get got gotten
	give gave given
	go went gone
	grow grew grown
	hang hung
	hear heard
	hide hid hidden
	hold held
	keep kept
	know knew known
	lead led
	leave left
	lend lent
	lose lost
	make made
	man men
	mean meant
	meet met
	mom mother mum
	mouse mice
	pay paid
	person people
	photo picture pic
	ride rode ridden
	ring rang rung
	rise rose risen
	run ran
	say said
	see saw seen
	seek sought
	sell sold
	send sent
	shake shook shaken
	shoot shot
	show shown
	shrink shrank shrunk
	sing sang sung
	sink sank sunk
	sit sat
	sleep slept
	speak spoke spoken
	spend spent
	split splitting
	stand stood
	steal stole stolen
	stick stuck
	strike struck
	swear swore sworn
	sweep swept
	swim swam swum
	take took taken
	teach taught
	tear tore torn
	tell told
	think thought
	throw threw thrown
	understand understood
	wake woke woken
	wear wore worn
	win won
	woman women
	write wrote written`

// irregularStems are the irregular forms by their stems, each with the stem that stands for it.
var irregularStems = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(irregular) {
		words := strings.Fields(line)
		for _, w := range words {
			m[lexical.Stem(w)] = lexical.Stem(words[0])
		}
	}
	return m
})

// stopStems are the stop words as they are compared.
var stopStems = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(stopWords) {
		m[baseStem(lexical.Stem(w))] = true
	}
	return m
})

// baseStem is the word that stands for a stem.
func baseStem(stem string) string {
	if b, ok := irregularStems()[stem]; ok {
		return b
	}
	return stem
}
