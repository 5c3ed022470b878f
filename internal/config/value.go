package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// problem says what a value of the setting has to be, "" where value is fine.
func (s *Setting) problem(value string) string {
	bad := value == ""
	switch s.Kind {
	case Choice:
		bad = !slices.Contains(s.Choices, value)
	case Count:
		n, err := strconv.ParseInt(value, 10, 64)
		bad = err != nil || n < 1
	case Duration:
		d, err := time.ParseDuration(value)
		bad = err != nil || d < minDuration
	case Address:
		bad = !isAddress(value)
	case Dir, Dirs:
		bad = bad || strings.ContainsRune(value, 0)
	case Text:
		if bad {
			return "want text that is not empty"
		}
	}
	switch {
	case bad:
		return "want " + s.wants()
	case s.check != nil:
		return s.check(value)
	}
	return ""
}

func isAddress(value string) bool {
	host, port, err := net.SplitHostPort(value)
	if err != nil || strings.ContainsFunc(host, unicode.IsSpace) {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func checkPrefix(value string) string {
	if len(value) > 100 || strings.ContainsFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`*?[]{}\`, r)
	}) {
		return `want at most 100 characters, no white space and none of *?[]{}\`
	}
	return ""
}

func checkEmbedder(value string) string {
	if value == "openai" {
		return "not in this build yet; want static or none"
	}
	return ""
}

// checkRedis looks at the form of a Redis URL only.
func checkRedis(value string) string {
	if value == "off" {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || !slices.Contains([]string{"redis", "rediss", "unix"}, u.Scheme) {
		return `want a Redis URL that begins with redis://, rediss:// or unix://, or "off"`
	}
	db := u.Query().Get("db")
	if u.Scheme != "unix" && db == "" {
		db = strings.Trim(u.Path, "/")
	}
	if db != "" && db != "0" {
		return "want database 0, the only one that can be searched (got database " + strconv.Quote(db) + `), or "off" for the embedded store`
	}
	return ""
}

// show is value for an error message: short, and without the password of a URL.
func show(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		value = u.Redacted()
	} else if i := strings.LastIndexByte(value, '@'); i >= 0 && strings.Contains(value[:i], ":") {
		value = "…" + value[i:] // a URL that does not parse may hold a password all the same
	}
	if r := []rune(value); len(r) > 80 {
		value = string(r[:80]) + "…"
	}
	return strconv.Quote(value)
}
