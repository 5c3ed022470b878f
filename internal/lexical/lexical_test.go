package lexical

import (
	"slices"
	"strings"
	"testing"
)

func TestIdentifiersSplitAtCaseDigitsAndUnderscores(t *testing.T) {
	t.Parallel()
	for ident, want := range map[string]string{
		"getUserById":          "get user by id",
		"HTTPServer":           "http server",
		"parseHTTPResponse2xx": "parse http response 2 xx",
		"SCREAMING_SNAKE":      "screaming snake",
		"URLs":                 "urls",
		"userIDs":              "user ids",
		"sha256sum":            "sha 256 sum",
		"__init__":             "init",
		"größeÜber":            "größeüber", // no case change is seen outside of ASCII
		"a1B2":                 "a 1 b 2",
		"":                     "",
	} {
		var got []string
		Split(ident, func(p string) { got = append(got, p) })
		if g := strings.Join(got, " "); g != want {
			t.Errorf("Split(%q) = %q, want %q", ident, g, want)
		}
	}
}

func TestIdentifiersAreFoundInAnyScript(t *testing.T) {
	t.Parallel()
	text := "x := naïve(日本語 の 検索) — “quoted” e\u0301 \xff\xfe tail"
	var got []string
	for i := 0; ; {
		s, e := NextIdent(text, i)
		if s == len(text) {
			break
		}
		got, i = append(got, text[s:e]), e
	}
	want := []string{"x", "naïve", "日本語", "の", "検索", "quoted", "e\u0301", "tail"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Pairs from the paper's own examples, rule by rule.
func TestStemsFollowPorter(t *testing.T) {
	t.Parallel()
	for _, p := range strings.Fields(`caresses:caress ponies:poni ties:ti caress:caress cats:cat feed:feed agreed:agre plastered:plaster bled:bled
		motoring:motor sing:sing conflated:conflat troubled:troubl sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz
		failing:fail filing:file happy:happi sky:sky relational:relat conditional:condit rational:ration valenci:valenc digitizer:digit
		radicalli:radic differentli:differ vileli:vile analogousli:analog vietnamization:vietnam predication:predic operator:oper
		feudalism:feudal decisiveness:decis hopefulness:hope callousness:callous formaliti:formal sensitiviti:sensit sensibiliti:sensibl
		triplicate:triplic formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope goodness:good revival:reviv
		allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
		replacement:replac adjustment:adjust dependent:depend adoption:adopt homologou:homolog communism:commun activate:activ
		angulariti:angular homologous:homolog effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas controll:control roll:roll`) {
		in, want, _ := strings.Cut(p, ":")
		if got := Stem(in); got != want {
			t.Errorf("Stem(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCompoundsMeetHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, ident := range []string{"flat_hash_map", "FlatHashMap", "flatHashMap", "FLAT_HASH_MAP"} {
		var got []string
		Words(ident, func(w string) { got = append(got, w) })
		if want := []string{"flat", "hash", "map", "flathashmap"}; !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", ident, got, want)
		}
	}
}

func TestTermsHoldNothingButLettersAndDigits(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"word", "größe", "日本語", "a-b", "@x|y", ""} {
		for _, term := range []string{Word(w).Text, Name(w).Text, FileName(w).Text} {
			if strings.Trim(term, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Errorf("term %q of %q holds more than a-z and 0-9", term, w)
			}
		}
	}
	if Word("ab").ID == Name("ab").ID || Word("größe").Text == Name("größe").Text {
		t.Error("a word and a name of the same letters must differ")
	}
}

func TestFileStemSkipsGenericNames(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"src/auth/jwt.go": "jwt", "pkg/queue/mod.rs": "queue", "web/src/index.ts": "web", "index.ts": "index",
		"a/b.test.js":          "b",
		"lib/main/__init__.py": "__init__", ".hidden.py": ".hidden", "Makefile": "Makefile", "x/.env": ".env",
	} {
		if got := FileStem(p); got != want {
			t.Errorf("FileStem(%q) = %q, want %q", p, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("parseHTTPResponse2xx größe \xff _ 日本")
	f.Fuzz(func(t *testing.T, text string) {
		for i := 0; ; {
			s, e := NextIdent(text, i)
			if s == len(text) {
				return
			}
			if s < i || e <= s || e > len(text) {
				t.Fatalf("NextIdent(%q, %d) = %d, %d", text, i, s, e)
			}
			Words(text[s:e], func(w string) {
				if w == "" {
					t.Fatalf("an empty word of %q", text[s:e])
				}
			})
			i = e
		}
	})
}

// Names that are joined, split and hashed where they stand are what the functions that make strings of them say.
func TestNamesAreReadWithoutCopies(t *testing.T) {
	t.Parallel()
	for _, ident := range []string{
		"", "x", "getUserById", "HTTPServer", "__init__", "userIDs", "größeÜber", "a1B2", "_", "日本語Name", "operator==",
		"K\u212aelvin", "a\xffb",
	} {
		joined := Join(ident)
		if id, n := WordID(ident); id != Word(joined).ID || n != len(joined) {
			t.Errorf("WordID(%q) = %d, %d; want %d, %d", ident, id, n, Word(joined).ID, len(joined))
		}
		for _, other := range []string{joined, joined + "x", "x" + joined, strings.TrimSuffix(joined, "r"), ""} {
			if JoinsTo(ident, other) != (joined == other) {
				t.Errorf("JoinsTo(%q, %q) = %v", ident, other, joined != other)
			}
		}
	}
}
