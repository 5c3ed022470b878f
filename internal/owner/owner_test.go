package owner

import (
	"strings"
	"testing"
)

func TestOnlyAProcessOfTheSameBootAndPidNamespaceIsKnownDead(t *testing.T) {
	t.Parallel()
	const self = "box|boot1|10|500|4026531836|aa"
	started := map[int]string{10: "500", 11: "600", 13: "gone"}
	alive := func(pid int) bool { return started[pid] != "" }
	start := func(pid int) string { return started[pid] }
	for name, tt := range map[string]struct {
		name string
		want bool
	}{
		"lives":                                 {"box|boot1|11|600|4026531836|bb", false},
		"ended":                                 {"box|boot1|12|600|4026531836|bb", true},
		"its pid was given to another":          {"box|boot1|11|599|4026531836|bb", true},
		"a zombie":                              {"box|boot1|13|600|4026531836|bb", true},
		"start unknown":                         {"box|boot1|11||4026531836|bb", false},
		"another host":                          {"cat|boot1|12|600|4026531836|bb", false},
		"another pid namespace":                 {"box|boot1|12|600|4026532999|bb", false},
		"own pid in another namespace":          {"box|boot1|10|7|4026532999|bb", false},
		"another machine of the same name":      {"box|boot2|12|600|4026531836|bb", false},
		"namespace unknown":                     {"box|boot1|12|600||bb", false},
		"boot unknown":                          {"box||12|600|4026531836|bb", false},
		"an older version's, without namespace": {"box|boot1|12|600|bb", false},
		"no pid":                                {"box|boot1|-1|600|4026531836|bb", false},
		"nothing":                               {"", false},
		"too much":                              {self + "|x", false},
	} {
		if got := deadFor(self, tt.name, alive, start); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if deadFor("box|boot1|10|500||aa", "box|boot1|12|600||bb", alive, start) {
		t.Error("a process that does not know its own pid namespace takes another for dead")
	}
}

func TestSelfIsAliveAndNamed(t *testing.T) {
	t.Parallel()
	if n := len(strings.Split(Self(), "|")); n != parts {
		t.Fatalf("%q has %d parts, want %d", Self(), n, parts)
	}
	if Dead(Self()) {
		t.Error("this process takes itself for dead")
	}
	for _, name := range []string{Self(), Brief(), "box|boot1|12|600|bb"} {
		if d := Describe(name); !strings.HasPrefix(d, "pid ") {
			t.Errorf("Describe(%q) = %q", name, d)
		}
	}
	if d := Describe("x"); d != "an unknown process" {
		t.Error(d)
	}
}
