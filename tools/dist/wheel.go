package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// wheelRun is the module behind the command contextd.
//
//go:embed wheel_run.py
var wheelRun []byte

// wheelTags are the platforms of Python (PEP 425, PEP 600, PEP 656) that a static binary of ours runs on.
var wheelTags = map[platform]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// wheel packs the binaries of one platform as a Python wheel (binary distribution format 1.0): pip puts them beside its
// own commands, so that they start without Python.
func wheel(version string, p platform, programs, legal []file, at time.Time) (name string, data []byte, err error) {
	tag, ok := wheelTags[p]
	if !ok {
		return "", nil, fmt.Errorf("python has no name for %s/%s that we know", p.os, p.arch)
	}
	v := pythonVersion(version)
	top := "contextd-" + v
	files := []file{
		{name: "contextd_run.py", data: wheelRun},
		{name: top + ".dist-info/METADATA", data: fmt.Appendf(nil, "Metadata-Version: 2.4\nName: contextd\nVersion: %s\nSummary: %s\nLicense-Expression: %s\nProject-URL: Source, %s\nRequires-Python: >=3.8\n", v, description, licence, repository)},
		{name: top + ".dist-info/entry_points.txt", data: []byte("[console_scripts]\ncontextd = contextd_run:main\n")},
	}
	var tags strings.Builder
	for one := range strings.SplitSeq(tag, ".") {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", one)
	}
	files = append(files, file{name: top + ".dist-info/WHEEL", data: []byte("Wheel-Version: 1.0\nGenerator: contextd\nRoot-Is-Purelib: false\n" + tags.String())})
	files = append(files, licences(top, legal)...)
	for _, f := range programs {
		f.name = top + ".data/scripts/" + f.name
		files = append(files, f)
	}
	return wheelFile(top, tag, files, at)
}

// licences puts legal files where a wheel has them.
func licences(top string, legal []file) []file {
	legal = slices.Clone(legal)
	for i := range legal {
		legal[i].name = top + ".dist-info/licenses/" + legal[i].name
	}
	return legal
}

// wheelFile adds the list of all files, as a wheel wants it, and packs.
func wheelFile(top, tag string, files []file, at time.Time) (name string, data []byte, err error) {
	if files, err = ordered(files); err != nil {
		return "", nil, err
	}
	var record bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	list := top + ".dist-info/RECORD"
	fmt.Fprintf(&record, "%s,,\n", list)
	data, err = zipped("", append(slices.Clone(files), file{name: list, data: record.Bytes()}), at)
	return top + "-py3-none-" + tag + ".whl", data, err
}
