package rdb_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb"
)

func TestAListOfURLsIsTakenApartAtBlanksAndCommas(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"redis://a":                                   {"redis://a"},
		"redis://a redis://b":                         {"redis://a", "redis://b"},
		" redis://a,redis://b:1\n,\tunix:///c ":       {"redis://a", "redis://b:1", "unix:///c"},
		"redis+sentinel://h1,h2:26380/m,rediss://b":   {"redis+sentinel://h1,h2:26380/m", "rediss://b"},
		"redis://u:p,q@a,redis+sentinel://h1,h2/main": {"redis://u:p,q@a", "redis+sentinel://h1,h2/main"},
		"redis://u:a secret@a":                        {"redis://u:a secret@a"},
		"":                                            {},
	} {
		if got := rdb.Split(list); !reflect.DeepEqual(got, want) {
			t.Errorf("Split(%q) = %q, want %q", list, got, want)
		}
	}
}

func TestServersHaveTheNamesOfTheirURLs(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"redis://Redis-A":                                          "redis-a:6379",
		"rediss://user:secret@redis-a:7000/0":                      "redis-a:7000",
		"redis://redis-a?name=first":                               "first",
		"redis+sentinel://h2,h1/mymaster?sentinel_password=secret": "mymaster",
		"unix:///run/redis.sock":                                   "/run/redis.sock",
	} {
		target, err := rdb.ParseURL(url)
		if err != nil || target.Name() != want {
			t.Errorf("%s: name %q, %v; want %q", url, target.Name(), err, want)
		}
	}
}

func TestTwoServersOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	for list, wrong := range map[string]string{
		"redis://a redis://:pw@A:6379":                         "a:6379",
		"redis+sentinel://h1/main redis+sentinel://h2/main":    "main",
		"redis://a?name=x redis://b?name=x":                    `"x"`,
		"redis://a redis://b?name=not%20a%20name":              "name",
		"redis://a redis://b/3":                                "database 3",
		"redis://a redis://b?name=one&name=two":                "name",
		"redis://a redis://" + strings.Repeat("b", 70) + ":x/": "",
	} {
		if _, err := rdb.ParseURLs(list); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want an error with %q", list, err, wrong)
		}
	}
	if all, err := rdb.ParseURLs("redis://a?name=x redis://a?name=y"); err != nil || len(all) != 2 {
		t.Errorf("two names of one address: %v", err)
	}
}
