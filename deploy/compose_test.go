package deploy

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// variable matches the forms of a variable in a compose file: $$, ${NAME}, ${NAME:-default} and ${NAME:?message}.
var variable = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\?)([^{}]*))?\}`)

// fill puts the values of variables into the text of a compose file, as compose does. A variable that is asked for and
// not set is an error that says what is asked for; another one that is not set is empty.
func fill(text string, value func(name string) string) (string, error) {
	var missing []string
	out := variable.ReplaceAllStringFunc(text, func(found string) string {
		if found == "$$" {
			return "$"
		}
		m := variable.FindStringSubmatch(found)
		name, form, rest := m[1], m[2], m[3]
		v := value(name)
		switch {
		case v != "":
			return v
		case form == ":-":
			return rest
		case form == ":?":
			missing = append(missing, name+": "+rest)
		}
		return ""
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("fill in the compose file: %s", strings.Join(missing, "; "))
	}
	return out, nil
}

// parse reads the compose file with some variables set.
func parse(t *testing.T, variables map[string]string) map[string]service {
	t.Helper()
	text, err := fill(read(t, "..", "docker-compose.yml"), func(name string) string { return variables[name] })
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	return f.Services
}

func TestImagesCanBePinnedByDigestAsDocumented(t *testing.T) {
	t.Parallel()
	set := map[string]string{"CONTEXTD_ROOT": "/srv", "CONTEXTD_TOKEN": "t", "CONTEXTD_REDIS_PASSWORD": "p"}
	reference := regexp.MustCompile(`^[a-z0-9./-]+:[A-Za-z0-9._-]+(@sha256:[0-9a-f]{64})?$`)
	images := func() (redis string, golang []string) {
		services := parse(t, set)
		for _, name := range []string{"indexer", "server", "retriever"} {
			golang = append(golang, services[name].Build.Args["GO_IMAGE"])
		}
		return services["redis"].Image, golang
	}
	check := func(redis string, golang []string, want func(image string) bool) {
		t.Helper()
		for _, image := range append(golang, redis) {
			if !reference.MatchString(image) || !want(image) {
				t.Errorf("image %q", image)
			}
		}
	}
	redis, golang := images()
	check(redis, golang, func(image string) bool { return !strings.Contains(image, "@") })
	documented := regexp.MustCompile(
		`(?m)^    export (CONTEXTD_(?:REDIS|GO)_IMAGE)=(\S+)@sha256:…`).FindAllStringSubmatch(read(t, "..", "docs",
		"OPERATIONS.md"), -1)
	if len(documented) != 2 {
		t.Fatalf("documented: %q", documented)
	}
	digest := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	for _, m := range documented {
		set[m[1]] = m[2] + digest
	}
	pinned, goPinned := images()
	check(pinned, goPinned, func(image string) bool { return image == redis+digest || image == golang[0]+digest })
	docker := read(t, "..", "Dockerfile")
	if !strings.Contains(docker, "\nARG GO_IMAGE="+golang[0]+"\nFROM --platform=$BUILDPLATFORM $GO_IMAGE AS build\n") {
		t.Error("the Dockerfile does not take GO_IMAGE, or has another default")
	}
}

func TestVariablesOfTheComposeFileAreFilledIn(t *testing.T) {
	t.Parallel()
	set := func(name string) string { return map[string]string{"A": "1"}[name] }
	got, err := fill("${A} ${A:-x} ${B} ${B:-x y} ${A:?say A} $$A $A", set)
	if want := "1 1  x y 1 $A $A"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := fill("${B:?the folder}", set); err == nil || !strings.Contains(err.Error(), "B: the folder") {
		t.Errorf("not set: %v", err)
	}
}
