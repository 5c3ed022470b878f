// Command dist makes the release archives of contextd: for each platform one archive with both binaries, their completions,
// the documentation and the notices of all that is inside, and a file of checksums for all archives.
//
//	go run ./tools/dist -version v1.2.3 -revision 0123abcd
//	go run ./tools/dist -images dist/images
//
// The second makes the images of the Dockerfile, without Docker.
//
// The same sources, version and Go give the same bytes, wherever and whenever it runs: paths are trimmed, entries sorted,
// owners numeric, and all times are SOURCE_DATE_EPOCH (else that of the last commit).
package main

import (
	"crypto/sha256"
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
	flag.StringVar(&o.out, "out", "dist", "folder for the archives; made anew")
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
	var list []string
	for _, platform := range strings.Split(o.platforms, ",") {
		goos, arch, ok := strings.Cut(platform, "/")
		if !ok {
			return fmt.Errorf("platform %q: want GOOS/GOARCH", platform)
		}
		name, data, err := release(work, o, goos, arch, common, at)
		if err != nil {
			return fmt.Errorf("make the archive for %s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(o.out, name), data, 0o644); err != nil {
			return err
		}
		list = append(list, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name))
		fmt.Printf("%s  %.1f MB\n", filepath.Join(o.out, name), float64(len(data))/1e6)
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(o.out, sums), []byte(strings.Join(list, "")), 0o644)
}

// release builds for one platform and returns the archive's name and content.
func release(work string, o options, goos, arch string, common []file, at time.Time) (string, []byte, error) {
	dir := filepath.Join(work, goos+"_"+arch)
	if err := build(dir, o, goos, arch); err != nil {
		return "", nil, err
	}
	files := slices.Clone(common)
	for _, b := range binaries {
		if goos == "windows" {
			b += ".exe"
		}
		data, err := os.ReadFile(filepath.Join(dir, b))
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{name: b, data: data, program: true})
	}
	text, err := notices(goos, arch)
	if err != nil {
		return "", nil, err
	}
	files = append(files, file{name: "THIRD_PARTY_LICENSES.txt", data: text})
	top := fmt.Sprintf("contextd_%s_%s_%s", strings.TrimPrefix(o.version, "v"), goos, arch)
	pack, ext := tarball, ".tar.gz"
	if goos == "windows" {
		pack, ext = zipped, ".zip"
	}
	data, err := pack(top, files, at)
	return top + ext, data, err
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
