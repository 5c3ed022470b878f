package secret

// form is a known form of a token: an anchor, then a body of certain bytes.
type form struct {
	name   string
	anchor string
	at     int // the two bytes of anchor from here on are looked for: the rarest in source code
	body   func(c byte) bool
	min    int // bytes of the body, at least
	max    int // at most; 0: any number
}

// forms are tokens that cannot be taken for anything else. What only looks random is no secret here: source is
// full of hashes.
var forms = []form{
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

// formsByPair finds the rules whose pair of bytes begins at a place; pairBits tells quickly that there is none.
var (
	pairBits    [1 << 16 / 64]uint64
	formsByPair = map[uint16][]int{} // indexes of forms
)

func init() {
	for i := range forms {
		r := &forms[i]
		pair := uint16(r.anchor[r.at])<<8 | uint16(r.anchor[r.at+1])
		pairBits[pair/64] |= 1 << (pair % 64)
		formsByPair[pair] = append(formsByPair[pair], i)
	}
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
