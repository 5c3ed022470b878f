package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rerank"
)

// check reports what a value of the setting has to be unless value is fine.
func (s *Setting) check(value string) error {
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
	case Dir, Dirs, File:
		bad = bad || strings.ContainsRune(value, 0)
	case Text:
		if bad {
			return errors.New("want text that is not empty")
		}
	}
	switch {
	case bad:
		return errors.New("want " + s.wants())
	case s.rule != nil:
		return s.rule(value)
	}
	return nil
}

func isAddress(value string) bool {
	host, port, err := net.SplitHostPort(value)
	if err != nil || strings.ContainsFunc(host, unicode.IsSpace) {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func checkPrefix(value string) error {
	if !rdb.GoodPrefix(value) {
		return errors.New("want a letter or digit, then at most 63 letters, digits, '.', '_', ':' or '-'")
	}
	return nil
}

func checkEmbedderURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("want http://host:port/v1 or https://…")
	case u.User != nil:
		return errors.New("want no user or password; the key comes only from OPENAI_API_KEY")
	}
	return nil
}

func checkRerankURL(value string) error { return rerank.CheckURL(value) }

// checkSlow takes a duration or "off".
func checkSlow(value string) error {
	if d, err := time.ParseDuration(value); value != "off" && (err != nil || d < minDuration) {
		return fmt.Errorf("want a duration from %v such as 500ms, or off", minDuration)
	}
	return nil
}

var policyRule = regexp.MustCompile(`^[^=,/\s]+(/[^=,]+)?=(on|off)$`)

func checkPolicy(value string) error {
	for rule := range strings.SplitSeq(value, ",") {
		if !policyRule.MatchString(strings.TrimSpace(rule)) {
			return errors.New("want PROJECT=on|off or PROJECT/NAME=on|off, separated by commas")
		}
	}
	return nil
}

func checkRedis(value string) error {
	if value == "off" {
		return nil
	}
	_, err := rdb.ParseURL(value)
	return err
}

// checkServers checks the servers of one setting together.
func checkServers(urls []string) error {
	if len(urls) < 2 {
		return nil
	}
	if slices.Contains(urls, "off") {
		return errors.New(`"off" and servers: want one or the other`)
	}
	_, err := rdb.ParseURLs(strings.Join(urls, " "))
	return err
}

// show is value for an error message: short, and without the password of a URL.
func show(value string) string {
	if strings.Contains(value, "sentinel_") { // a password may stand in the query
		value = rdb.Redact(value)
	} else if u, err := url.Parse(value); err == nil && u.User != nil {
		value = rdb.Redact(value)
	} else if i := strings.LastIndexByte(value, '@'); i >= 0 && strings.Contains(value[:i], ":") {
		value = "…" + value[i:] // a URL that does not parse may hold a password all the same
	}
	if r := []rune(value); len(r) > 80 {
		value = string(r[:80]) + "…"
	}
	return strconv.Quote(value)
}
