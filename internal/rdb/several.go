package rdb

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// between is what stands between the URLs of a list: blanks, or a comma before the scheme of the next. The hosts of
// Sentinels have commas too. Most lists are one URL, and need none of it.
var between = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*,\s*([a-z+]+://)|\s+`) })

// Split takes a list of URLs apart. A list with a part that is none stays whole: it may be one URL with a blank in its
// password.
func Split(list string) []string {
	if list != "" && !strings.ContainsAny(list, ", \t\r\n") {
		return []string{list}
	}
	all := strings.Fields(between().ReplaceAllString(list, " $1"))
	if len(all) > 1 && slices.ContainsFunc(all, func(url string) bool { return !strings.Contains(url, "://") }) {
		return []string{list}
	}
	return all
}

// ParseURLs is [ParseURL] of each of a list of URLs, whose servers have different names.
func ParseURLs(list string) ([]*Target, error) {
	var all []*Target
	for _, url := range Split(list) {
		t, err := ParseURL(url)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(all, func(o *Target) bool { return o.Name() == t.Name() }); i >= 0 {
			return nil, &URLError{Reason: fmt.Sprintf("two servers are named %q", t.Name()),
				hint: "name each server once; those that would have one name get others with ?name=WORD"}
		}
		all = append(all, t)
	}
	return all, nil
}

// Name is what t is called among several servers, of which it decides which projects lie on it: the parameter name of
// its URL, else the name of the Sentinels' master, else host:port, else the path of the socket.
func (t *Target) Name() string { return cmp.Or(t.name, t.Master, strings.ToLower(t.Addr)) }

// goodName reports whether the parameter name takes a word.
func goodName(s string) bool {
	return len(s) <= 63 && strings.Trim(s[:1], "._:-") != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._:-", r)
	}) < 0
}
