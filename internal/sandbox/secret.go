package sandbox

import "strings"

// secretRule is a known form of a token: an anchor, then a body of certain bytes.
type secretRule struct {
	name   string
	anchor string
	at     int // the two bytes of anchor from here on are looked for: the rarest in source code
	body   func(c byte) bool
	min    int // bytes of the body, at least
	max    int // at most; 0: any number
}

// secretRules are tokens that cannot be taken for anything else. What only looks random is no secret here: source is
// full of hashes.
var secretRules = []secretRule{
	{"AWS access key", "AKIA", 1, upperDigit, 16, 16},
	{"AWS temporary access key", "ASIA", 1, upperDigit, 16, 16},
	{"GitHub token", "ghp_", 1, alnum, 36, 251},
	{"GitHub token", "gho_", 1, alnum, 36, 251},
	{"GitHub token", "ghu_", 1, alnum, 36, 251},
	{"GitHub token", "ghs_", 1, alnum, 36, 251},
	{"GitHub token", "ghr_", 1, alnum, 36, 251},
	{"GitHub fine-grained token", "github_pat_", 7, alnumLine, 60, 0},
	{"GitLab token", "glpat-", 0, alnumDash, 20, 0},
	{"Slack token", "xoxb-", 0, alnumHyphen, 20, 0},
	{"Slack token", "xoxp-", 0, alnumHyphen, 20, 0},
	{"Slack token", "xoxa-", 0, alnumHyphen, 20, 0},
	{"Slack token", "xoxs-", 0, alnumHyphen, 20, 0},
	{"Slack token", "xoxr-", 0, alnumHyphen, 20, 0},
	{"Slack token", "xoxe.", 0, alnumHyphenDot, 20, 0},
	{"Slack app token", "xapp-", 0, alnumHyphen, 30, 0},
	{"Slack webhook", "hooks.slack.com/services/T", 2, alnumSlash, 30, 0},
	{"Stripe key", "sk_live_", 2, alnum, 20, 0},
	{"Stripe key", "rk_live_", 2, alnum, 20, 0},
	{"Anthropic key", "sk-ant-", 2, alnumDash, 40, 0},
	{"OpenAI key", "sk-proj-", 2, alnumDash, 40, 0},
	{"OpenAI key", "sk-svcacct-", 2, alnumDash, 40, 0},
	{"Google API key", "AIza", 1, alnumDash, 35, 35},
	{"Google OAuth secret", "GOCSPX-", 2, alnumDash, 28, 28},
	{"Google OAuth token", "ya29.", 0, alnumDash, 40, 0},
	{"npm token", "npm_", 1, alnum, 36, 36},
	{"PyPI token", "pypi-AgE", 3, alnumDash, 50, 0},
	{"RubyGems key", "rubygems_", 3, alnum, 48, 48},
	{"Hugging Face token", "hf_", 0, alnum, 34, 40},
	{"SendGrid key", "SG.", 0, alnumDashDot, 60, 0},
	{"DigitalOcean token", "dop_v1_", 3, alnum, 64, 64},
	{"Shopify token", "shpat_", 1, alnum, 32, 32},
	{"Square token", "sq0csp-", 1, alnumDash, 40, 0},
	{"Docker Hub token", "dckr_pat_", 1, alnumDash, 27, 0},
	{"HashiCorp Vault token", "hvs.", 0, alnumDash, 24, 0},
	{"Grafana token", "glsa_", 0, alnumLine, 40, 0},
	{"Linear key", "lin_api_", 3, alnum, 40, 0},
	{"Atlassian token", "ATATT3", 4, alnumToken, 60, 0},
	{"Postman key", "PMAK-", 0, alnumHyphen, 50, 0},
	{"Databricks token", "dapi", 0, hexDigit, 32, 32},
	{"Azure storage key", "AccountKey=", 9, base64Char, 80, 0},
	{"age key", "AGE-SECRET-KEY-1", 3, upperDigit, 50, 0},
	{"private key", "PRIVATE KEY", 7, nil, 0, 0},
}

// secretPairs finds the rules whose pair of bytes begins at a place; secretBits tells quickly that there is none.
var (
	secretBits  [1 << 16 / 64]uint64
	secretPairs = map[uint16][]*secretRule{}
)

func init() {
	for i := range secretRules {
		r := &secretRules[i]
		pair := uint16(r.anchor[r.at])<<8 | uint16(r.anchor[r.at+1])
		secretBits[pair/64] |= 1 << (pair % 64)
		secretPairs[pair] = append(secretPairs[pair], r)
	}
}

// HasSecret reports whether text holds a token of a known form or a private key, and which. Placeholders ("AKIAXXXX…",
// "…EXAMPLE") and the bare first line of a key are none.
func HasSecret(text string) (rule string, found bool) {
	r, _, _ := nextSecret(text, 0)
	if r == nil {
		return "", false
	}
	return r.name, true
}

// nextSecret finds the first secret of text that begins at or after from, or whose anchor does: text[start:end]. The rule
// is nil where there is none.
func nextSecret(text string, from int) (rule *secretRule, start, end int) {
	if len(text)-from < 16 {
		return nil, 0, 0
	}
	pair := uint16(text[from])
	for i := from + 1; i < len(text); i++ {
		if pair = pair<<8 | uint16(text[i]); secretBits[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, r := range secretPairs[pair] {
			at := i - 1 - r.at
			if at < from || !strings.HasPrefix(text[at:], r.anchor) {
				continue
			}
			if r.body == nil {
				if after := at + len(r.anchor); privateKey(text, after) {
					return r, strings.LastIndex(text[:at], keyBegin), keyEnd(text, after)
				}
			} else if end, ok := r.matches(text, at); ok {
				return r, at, end
			}
		}
	}
	return nil, 0, 0
}

// matches reports whether a token of r's form begins at from, and where it ends.
func (r *secretRule) matches(text string, from int) (end int, ok bool) {
	if from > 0 && (alnum(text[from-1]) || text[from-1] == '_') && !escaped(text, from) {
		return 0, false
	}
	start := from + len(r.anchor)
	end = start
	for end < len(text) && r.body(text[end]) {
		end++
	}
	n := end - start
	if n < r.min || r.max > 0 && (n > r.max || end < len(text) && (alnum(text[end]) || text[end] == '_')) {
		return 0, false
	}
	return end, !placeholder(text[start:end])
}

// escaped reports whether the letter before at belongs to an escape such as "\n".
func escaped(text string, at int) bool {
	return at > 1 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0
}

// placeholder reports whether the body of a token was made up by hand: few different characters, or the word EXAMPLE.
func placeholder(body string) bool {
	if strings.Contains(strings.ToUpper(body), "EXAMPLE") {
		return true
	}
	var seen [256]bool
	different := 0
	for i := range len(body) {
		if !seen[body[i]] {
			seen[body[i]] = true
			different++
		}
	}
	return different < 6
}

// keyBegin and keyFinish begin the first and the last line of a private key.
const (
	keyBegin  = "-----BEGIN "
	keyFinish = "-----END "
)

// minKeyRun is the number of base64 characters in a row that make the first line of a key.
const minKeyRun = 32

// privateKey reports whether the words PRIVATE KEY that end at at belong to the first line of a key that is there: base64
// follows, behind white space, quotes, escapes and header lines, as in a file or in a string of source code.
func privateKey(text string, at int) bool {
	head := text[max(0, at-60):at]
	if i := strings.LastIndex(head, keyBegin); i < 0 || strings.ContainsAny(head[i:], "\n\"'") {
		return false
	}
	rest := strings.TrimPrefix(text[at:min(len(text), at+1200)], " BLOCK")
	rest, ok := strings.CutPrefix(rest, "-----")
	if !ok {
		return false
	}
	for headers := 0; headers < 6; headers++ {
		rest = skipGlue(rest)
		run := 0
		for run < len(rest) && base64Char(rest[run]) {
			run++
		}
		if run >= minKeyRun {
			return !placeholder(rest[:run])
		}
		line, after, ok := strings.Cut(rest, "\n")
		if escapedLine, behind, found := strings.Cut(rest, `\n`); found && len(escapedLine) < len(line) {
			line, after, ok = escapedLine, behind, true
		}
		if !ok || !strings.Contains(line, ": ") {
			return false
		}
		rest = after
	}
	return false
}

// skipGlue drops what may stand between two lines of a key: white space, quotes, operators, comment marks, "\n" and "\r".
func skipGlue(s string) string {
	for s != "" {
		switch {
		case strings.HasPrefix(s, `\n`), strings.HasPrefix(s, `\r`):
			s = s[2:]
		case strings.IndexByte(" \t\r\n\"'`,.#*;>|()\\", s[0]) >= 0:
			s = s[1:]
		case (s[0] == '+' || s[0] == '/') && len(s) > 1 && strings.IndexByte(" \t\r\n\"'`/*", s[1]) >= 0:
			s = s[1:]
		default:
			return s
		}
	}
	return s
}

func upperDigit(c byte) bool { return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }
func alnum(c byte) bool      { return upperDigit(c) || 'a' <= c && c <= 'z' }
func hexDigit(c byte) bool   { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
func alnumLine(c byte) bool  { return alnum(c) || c == '_' }
func alnumDash(c byte) bool  { return alnum(c) || c == '_' || c == '-' }

func alnumHyphen(c byte) bool    { return alnum(c) || c == '-' }
func alnumHyphenDot(c byte) bool { return alnum(c) || c == '-' || c == '.' }
func alnumDashDot(c byte) bool   { return alnumDash(c) || c == '.' }
func alnumSlash(c byte) bool     { return alnum(c) || c == '/' }
func alnumToken(c byte) bool     { return alnumDash(c) || c == '=' }
func base64Char(c byte) bool     { return alnum(c) || c == '+' || c == '/' || c == '=' }
