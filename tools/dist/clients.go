package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"
)

// pythonClient packs clients/python as a wheel for all platforms, with the version of the release.
func pythonClient(version string, common []file, at time.Time) (name string, data []byte, err error) {
	const module = "contextd_client"
	v := pythonVersion(version)
	top := module + "-" + v
	sources, err := readAll(filepath.Join("clients", "python", module), "*.py", "py.typed")
	if err != nil {
		return "", nil, err
	}
	var files []file
	for _, f := range sources {
		f.name = path.Join(module, f.name)
		files = append(files, f)
	}
	readme, err := os.ReadFile(filepath.Join("clients", "python", "README.md"))
	if err != nil {
		return "", nil, err
	}
	metadata := fmt.Appendf(nil, "Metadata-Version: 2.4\nName: contextd-client\nVersion: %s\nSummary: Client of contextd, the context engine for coding agents\nLicense-Expression: %s\n"+
		"Project-URL: Source, %s\nRequires-Python: >=3.9\nProvides-Extra: async\nRequires-Dist: httpx>=0.27; extra == \"async\"\nProvides-Extra: events\n"+
		"Requires-Dist: websockets>=15; extra == \"events\"\nDescription-Content-Type: text/markdown\n\n%s", v, licence, repository, readme)
	files = append(files, file{name: top + ".dist-info/METADATA", data: metadata},
		file{name: top + ".dist-info/WHEEL", data: []byte("Wheel-Version: 1.0\nGenerator: contextd\nRoot-Is-Purelib: true\nTag: py3-none-any\n")})
	return wheelFile(top, "any", append(files, licences(top, named(common, "LICENSE"))...), at)
}

// tsClient packs clients/ts as "npm pack" does, with the version of the release.
func tsClient(version string, common []file, at time.Time) (name string, data []byte, err error) {
	files, err := readAll(filepath.Join("clients", "ts"), "*.js", "*.ts", "*.md", "package.json")
	if err != nil {
		return "", nil, err
	}
	for i, f := range files {
		if f.name == "package.json" {
			d := map[string]any{}
			if err := json.Unmarshal(f.data, &d); err != nil {
				return "", nil, fmt.Errorf("read the package.json of clients/ts: %w", err)
			}
			d["version"], d["license"], d["repository"] = npmVersion(version), licence, repository
			delete(d, "private")
			if files[i].data, err = json.MarshalIndent(d, "", "  "); err != nil {
				return "", nil, err
			}
		}
	}
	data, err = tarball("package", append(files, named(common, "LICENSE")...), at)
	return "contextd-client-" + npmVersion(version) + ".tgz", data, err
}

// readAll reads the files of a folder that one of the patterns matches.
func readAll(dir string, patterns ...string) (files []file, err error) {
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("read %q: no file is named %q", dir, pattern)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				return nil, err
			}
			files = append(files, file{name: filepath.Base(p), data: bytes.Clone(data)})
		}
	}
	return files, nil
}
