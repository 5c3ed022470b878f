package rdb

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// between is what stands between the URLs of a list: blanks, or a comma before the scheme of the next. The hosts of
// Sentinels have commas too.
var between = regexp.MustCompile(`\s*,\s*([a-z+]+://)|\s+`)

// Split takes a list of URLs apart. A list with a part that is none stays whole: it may be one URL with a blank in its
// password.
func Split(list string) []string {
	all := strings.Fields(between.ReplaceAllString(list, " $1"))
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

// goodName is what the parameter name takes.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$`)
