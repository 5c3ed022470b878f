package main

import (
	"regexp"
	"strings"
)

// semver takes a version apart: 1.2.3, a pre-release such as rc.1, or what git describe adds: 4-g0123abc.
var semver = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?$`)

// preRelease is a pre-release that Python has a form for.
var preRelease = regexp.MustCompile(`^(alpha|beta|rc)\.?(\d+)$`)

// notInVersion is what may not stand in a part of a version that is ours to fill.
var notInVersion = regexp.MustCompile(`[^0-9A-Za-z]+`)

// npmVersion is version as npm wants it (Semantic Versioning 2.0). What is no version becomes a pre-release of 0.0.0.
func npmVersion(version string) string {
	if m := semver.FindStringSubmatch(version); m != nil {
		if m[2] == "" {
			return m[1]
		}
		return m[1] + "-" + m[2]
	}
	return "0.0.0-dev-" + strings.Trim(notInVersion.ReplaceAllString(version, "-"), "-")
}

// pythonVersion is version as Python packages want it (PEP 440). What is no version becomes a local version of 0.0.0.
func pythonVersion(version string) string {
	m := semver.FindStringSubmatch(version)
	switch {
	case m == nil:
		return "0.0.0+" + strings.ToLower(strings.Trim(notInVersion.ReplaceAllString(version, "."), "."))
	case m[2] == "":
		return m[1]
	}
	if p := preRelease.FindStringSubmatch(m[2]); p != nil {
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[p[1]] + p[2]
	}
	return m[1] + "+" + strings.ToLower(strings.Trim(notInVersion.ReplaceAllString(m[2], "."), "."))
}
