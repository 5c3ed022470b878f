package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"path"
	"slices"
	"time"
)

// npmScope is the scope of the packages that carry the binaries of one platform each.
const npmScope = "@contextd"

// npmRun starts the binary of the platform package that npm chose.
//
//go:embed npm_run.js
var npmRun []byte

// npmCommands are the commands of the npm package: contextd is the retriever, or the indexer after the word "indexer".
var npmCommands = map[string]string{
	"retriever": `require("../run.js")("retriever", process.argv.slice(2));`,
	"indexer":   `require("../run.js")("indexer", process.argv.slice(2));`,
	"contextd": `const [first, ...rest] = process.argv.slice(2);
if (first === "indexer" || first === "retriever") require("../run.js")(first, rest);
else require("../run.js")("retriever", process.argv.slice(2));`,
}

// npmCPU are Node's names of Go's architectures; npmOS of its systems.
var (
	npmCPU = map[string]string{"amd64": "x64", "arm64": "arm64"}
	npmOS  = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
)

// npmPackage is what we write into a package.json.
type npmPackage struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Repository   string            `json:"repository"`
	Bin          map[string]string `json:"bin,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
}

const (
	description = "Context engine for coding agents: finds the right code, verified against the disk"
	licence     = "Apache-2.0"
	repository  = "https://" + pkg
)

// npmPlatformName is the package of one platform.
func npmPlatformName(p platform) string { return npmScope + "/" + npmOS[p.os] + "-" + npmCPU[p.arch] }

// npmPlatform packs the binaries of one platform. npm installs it only where os and cpu are the machine's.
func npmPlatform(version string, p platform, programs, legal []file, at time.Time) (name string, data []byte, err error) {
	files := slices.Clone(legal)
	for _, f := range programs {
		f.name = path.Join("bin", f.name)
		files = append(files, f)
	}
	d := npmPackage{Name: npmPlatformName(p), Version: npmVersion(version), OS: []string{npmOS[p.os]}, CPU: []string{npmCPU[p.arch]},
		PreferUnplug: true, Description: "Binaries of contextd for " + p.os + "/" + p.arch}
	return npmTarball(d, files, at)
}

// npmMain packs the package that people name: it depends on one package for each platform, of which npm installs the
// one that fits.
func npmMain(version string, all []platform, common []file, at time.Time) (name string, data []byte, err error) {
	d := npmPackage{Name: "contextd", Version: npmVersion(version), Description: description, Optional: map[string]string{}, Engines: map[string]string{"node": ">=18"},
		Bin: map[string]string{}}
	for _, p := range all {
		d.Optional[npmPlatformName(p)] = d.Version
	}
	files := []file{{name: "run.js", data: npmRun}}
	for command, code := range npmCommands {
		d.Bin[command] = "bin/" + command + ".js"
		files = append(files, file{name: d.Bin[command], data: []byte("#!/usr/bin/env node\n" + code + "\n"), program: true})
	}
	return npmTarball(d, append(files, named(common, "README.md", "LICENSE")...), at)
}

// npmTarball packs files as "npm pack" does: below the folder package.
func npmTarball(d npmPackage, files []file, at time.Time) (name string, data []byte, err error) {
	d.License, d.Repository = licence, repository
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return "", nil, err
	}
	data, err = tarball("package", append(files, file{name: "package.json", data: text.Bytes()}), at)
	base := d.Name
	if len(base) > len(npmScope) && base[0] == '@' {
		base = "contextd-" + base[len(npmScope)+1:]
	}
	return base + "-" + d.Version + ".tgz", data, err
}
