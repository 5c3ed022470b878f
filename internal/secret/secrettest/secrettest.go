// Package secrettest makes tokens and keys for tests that have the form of real ones and open nothing.
package secrettest

import (
	"math/rand/v2"
	"strings"
)

// What tokens are made of.
const (
	Upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Letters = Upper + "abcdefghijklmnopqrstuvwxyz"
	Digits  = "0123456789"
)

// Token is n random characters of from.
func Token(rng *rand.Rand, n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rng.IntN(len(from))]
	}
	return string(b)
}

// Samples are texts that hold a secret, with what must not be told of them.
func Samples(rng *rand.Rand) map[string]string {
	all := Letters + Digits
	dashes := strings.Repeat("-", 5)
	head := func(kind string) string { return dashes + "BEGIN " + kind + "PRIVATE KEY" + dashes }
	body := Token(rng, 64, all+"+/")
	secrets := map[string]string{}
	for _, s := range []string{"AKIA" + Token(rng, 16, Upper), "ASIA" + Token(rng, 16, Upper+"234567"),
		"ghp_" + Token(rng, 36, all),
		"gho_" + Token(rng, 36, all), "ghs_" + Token(rng, 36, all), "github" + "_pat_" + Token(rng, 22, all) + "_" +
			Token(rng, 59, all),
		"glpat-" + Token(rng, 20, all), "xoxb-" + Token(rng, 12, Digits) + "-" + Token(rng, 24, all),
		"xapp-1-" + Token(rng, 60, all),
		"sk_" + "live_" + Token(rng, 24, all), "sk-" + "ant-api03-" + Token(rng, 90, all),
		"sk-" + "proj-" + Token(rng, 60, all),
		"AIza" + Token(rng, 35, all), "GOCSPX-" + Token(rng, 28, all), "npm_" + Token(rng, 36, all),
		"pypi-" + "AgEIcHlwaS5vcmc" + Token(rng, 60, all),
		"hf_" + Token(rng, 34, all), "SG." + Token(rng, 22, all) + "." + Token(rng, 43, all),
		"dop_" + "v1_" + Token(rng, 64, "0123456789abcdef"),
		"shpat_" + Token(rng, 32, "0123456789abcdef"), "dckr_" + "pat_" + Token(rng, 27, all),
		"hvs." + Token(rng, 90, all), "glsa_" + Token(rng, 41, all),
		"https://hooks." + "slack.com/services/T" + Token(rng, 9, Upper) + "/B" + Token(rng, 9, Upper) + "/" +
			Token(rng, 24, all),
		"AccountKey=" + Token(rng, 86, all) + "==", "AGE-SECRET" + "-KEY-1" + Token(rng, 58, Upper),
		"dapi" + Token(rng, 32, "0123456789abcdef")} {
		secrets[`key = "`+s+`"`+"\n"] = s
		secrets["export A="+s] = s
		secrets[`"line\n`+s+`"`] = s
	}
	for _, kind := range []string{"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "} {
		secrets[head(kind)+"\n"+body+"\n"+dashes+"END"] = body
		secrets["K = \"\"\"\n    "+head(kind)+"\n    "+body+"\n\"\"\""] = body
		secrets[`k := "`+head(kind)+`\n`+body+`\n"`] = body
		secrets["k = '"+head(kind)+"\\n' +\n    '"+body+"\\n'"] = body
		secrets[head(kind)+"\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,"+Token(rng, 32, Upper)+"\r\n\r\n"+
			body] = body
		secrets["# "+head(kind)+"\n# "+body] = body
	}
	secrets[dashes+"BEGIN PGP PRIVATE KEY"+" BLOCK"+dashes+"\nVersion: 1\n\n"+body] = body
	return secrets
}
