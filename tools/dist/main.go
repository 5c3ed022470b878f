// Command dist makes what is released of contextd: for each platform an archive with both binaries, their completions,
// the documentation and the notices of all that is inside, an npm package and a Python wheel that carry the binaries;
// the npm package that chooses among them, the Python and TypeScript clients, an install script, and a file of
// checksums of all.
//
//	go run ./tools/dist -version v1.2.3 -revision 0123abcd
//	go run ./tools/dist -images dist/images
//
// The second makes the images of the Dockerfile, without Docker.
//
// The same sources, version and Go give the same bytes, wherever and whenever it runs: paths are trimmed, entries
// sorted, owners numeric, and all times are SOURCE_DATE_EPOCH (else that of the last commit).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"
	sums      = "SHA256SUMS"
	pkg       = "github.com/contextd/contextd"
)

// binaries are the commands that are released.
var binaries = []string{"indexer", "retriever"}

// options are the flags.
type options struct {
	out, version, revision, platforms, notices string
	images, arch, certificates                 string
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "dist", "folder for the archives; rebuilt")
	flag.StringVar(&o.version, "version", "devel", "version to name in archives and binaries")
	flag.StringVar(&o.revision, "revision", "unknown", "revision to name in binaries")
	flag.StringVar(&o.platforms, "platforms", platforms, "platforms to build for")
	flag.StringVar(&o.notices, "notices", "", "only write the notices of this platform's binaries into this file")
	flag.StringVar(&o.images, "images", "", "only make the images of the Dockerfile, as files in this folder that \"docker load\" reads")
	flag.StringVar(&o.arch, "arch", runtime.GOARCH, "architecture of the images")
	flag.StringVar(&o.certificates, "certificates", caBundle, "certificate authorities to put into the images")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(2)
	}
}

func run(o options) error {
	if o.notices != "" {
		text, err := notices(runtime.GOOS, runtime.GOARCH)
		if err != nil {
			return err
		}
		return os.WriteFile(o.notices, text, 0o644)
	}
	if strings.ContainsAny(o.version, "/\\ \n") || o.version == "" {
		return fmt.Errorf("version %q: want one word without slashes", o.version)
	}
	at, err := epoch()
	if err != nil {
		return err
	}
	if o.images != "" {
		return images(o, o.arch, at)
	}
	work, err := os.MkdirTemp("", "contextd-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	common, err := shared(work, o)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(o.out), os.MkdirAll(o.out, 0o755)); err != nil {
		return err
	}
	all, err := platformList(o.platforms)
	if err != nil {
		return err
	}
	out := output{dir: o.out}
	for _, p := range all {
		if err := release(&out, work, o, p, common, at); err != nil {
			return fmt.Errorf("make the packages for %s/%s: %w", p.os, p.arch, err)
		}
	}
	if err := out.add(npmMain(o.version, all, common, at)); err != nil {
		return err
	}
	if err := errors.Join(out.add(pythonClient(o.version, common, at)), out.add(tsClient(o.version, common, at))); err != nil {
		return err
	}
	return out.finish(o.version)
}

// platform is a system and an architecture by Go's names.
type platform struct{ os, arch string }

// platformList reads a list such as "linux/amd64,darwin/arm64".
func platformList(text string) (all []platform, err error) {
	for one := range strings.SplitSeq(text, ",") {
		goos, arch, ok := strings.Cut(one, "/")
		if !ok {
			return nil, fmt.Errorf("platform %q: want GOOS/GOARCH", one)
		}
		all = append(all, platform{goos, arch})
	}
	return all, nil
}

// release builds for one platform and writes its archive, npm package and wheel.
func release(out *output, work string, o options, p platform, common []file, at time.Time) error {
	dir := filepath.Join(work, p.os+"_"+p.arch)
	if err := build(dir, o, p.os, p.arch); err != nil {
		return err
	}
	var programs []file
	for _, b := range binaries {
		if p.os == "windows" {
			b += ".exe"
		}
		data, err := os.ReadFile(filepath.Join(dir, b))
		if err != nil {
			return err
		}
		programs = append(programs, file{name: b, data: data, program: true})
	}
	text, err := notices(p.os, p.arch)
	if err != nil {
		return err
	}
	legal := append([]file{{name: "THIRD_PARTY_LICENSES.txt", data: text}}, named(common, "LICENSE", "NOTICE.md")...)
	top := fmt.Sprintf("contextd_%s_%s_%s", strings.TrimPrefix(o.version, "v"), p.os, p.arch)
	pack, ext := tarball, ".tar.gz"
	if p.os == "windows" {
		pack, ext = zipped, ".zip"
	}
	data, err := pack(top, slices.Concat(common, programs, legal[:1]), at)
	return errors.Join(out.add(top+ext, data, err), out.add(npmPlatform(o.version, p, programs, legal, at)), out.add(wheel(o.version, p, programs, legal, at)))
}

// build builds both binaries into dir.
func build(dir string, o options, goos, arch string) error {
	flags := fmt.Sprintf("-s -w -buildid= -X %s/internal/cli.version=%s -X %s/internal/cli.revision=%s", pkg, o.version, pkg, o.revision)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", dir+string(filepath.Separator), "./cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// epoch is the time that everything gets.
func epoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("no time for the archives: set SOURCE_DATE_EPOCH, or run in a git repository")
		}
		text = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", text)
	}
	return time.Unix(n, 0).UTC(), nil
}
