package rank

import "strings"

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
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
