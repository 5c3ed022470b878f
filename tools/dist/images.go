package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	docker "github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/contextd/contextd/tools/dist/stage"
)

// caBundle is where the certificate authorities lie in the image that the Dockerfile builds in.
const caBundle = "/etc/ssl/certs/ca-certificates.crt"

// images makes the images of the Dockerfile without Docker, for Linux on arch, as files that "docker load" reads. Their
// stages begin from scratch, so all that is in them is what the build stage makes; that is made here.
func images(o options, arch string, at time.Time) error {
	work, err := os.MkdirTemp("", "contextd-images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	out := filepath.Join(work, "out")
	text, err := notices("linux", arch)
	if err != nil {
		return err
	}
	notice, err := os.ReadFile(filepath.Join("internal", "embed", "static", "NOTICE.md"))
	if err != nil {
		return err
	}
	if err := build(out, o, "linux", arch); err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(filepath.Join(out, "state"), 0o700), os.WriteFile(filepath.Join(out, "NOTICE.md"), notice, 0o644),
		os.WriteFile(filepath.Join(out, "THIRD_PARTY_LICENSES.txt"), text, 0o644), os.MkdirAll(o.images, 0o755)); err != nil {
		return err
	}
	dockerfile, err := os.ReadFile("Dockerfile")
	if err != nil {
		return err
	}
	stages, err := stage.Parse(string(dockerfile))
	if err != nil {
		return fmt.Errorf("read the Dockerfile: %w", err)
	}
	for _, b := range binaries {
		img, err := imageOf(stages[b], arch, o.version, at, func(source string) string {
			if source == caBundle {
				return o.certificates
			}
			return filepath.Join(work, filepath.FromSlash(source))
		})
		if err != nil {
			return fmt.Errorf("make the image of %s: %w", b, err)
		}
		file := filepath.Join(o.images, fmt.Sprintf("contextd-%s_%s_linux_%s.tar", b, strings.TrimPrefix(o.version, "v"), arch))
		if err := saveImage(file, "contextd-"+b, img); err != nil {
			return fmt.Errorf("write %q: %w", file, err)
		}
		fmt.Println(file)
	}
	return nil
}

// saveImage writes an image under the tag latest, by which docker-compose.yml knows it. One tag: the order of several
// is not always the same.
func saveImage(file, repository string, img v1.Image) error {
	tag, err := name.NewTag(repository + ":latest")
	if err != nil {
		return err
	}
	return docker.WriteToFile(file, tag, img)
}

// versionLabel is the label that holds the version.
const versionLabel = "org.opencontainers.image.version"

// imageOf makes an image of a stage. at is the time of all that is in it; local is where a source of a COPY lies here.
func imageOf(s stage.Stage, arch, version string, at time.Time, local func(source string) string) (v1.Image, error) {
	if len(s.Copies) == 0 {
		return nil, errors.New("the Dockerfile has no such stage, or it copies nothing")
	}
	img := empty.Image
	for _, c := range s.Copies {
		data, err := layerOf(c, at, local)
		if err != nil {
			return nil, err
		}
		layer, err := docker.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
		if err != nil {
			return nil, err
		}
		by := "COPY " + strings.Join(c.Sources, " ") + " " + c.To
		if img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: at}, CreatedBy: by}}); err != nil {
			return nil, err
		}
	}
	conf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	conf = conf.DeepCopy()
	conf.OS, conf.Architecture, conf.Created = "linux", arch, v1.Time{Time: at}
	conf.Config = v1.Config{Env: s.Env, User: s.User, Entrypoint: s.Entrypoint, Cmd: s.Cmd, WorkingDir: "/", ExposedPorts: set(s.Ports), Volumes: set(s.Volumes),
		Labels: map[string]string{versionLabel: version}}
	if conf.Config.Healthcheck, err = healthOf(s.Health); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, conf)
}

func set(words []string) map[string]struct{} {
	all := map[string]struct{}{}
	for _, w := range words {
		all[w] = struct{}{}
	}
	return all
}

// healthOf reads the options and the command of a health check; nil if there is none.
func healthOf(words []string) (*v1.HealthConfig, error) {
	h := &v1.HealthConfig{}
	for i, w := range words {
		option, value, _ := strings.Cut(w, "=")
		to := map[string]*time.Duration{"--interval": &h.Interval, "--timeout": &h.Timeout, "--start-period": &h.StartPeriod}[option]
		if to == nil {
			h.Test = append([]string{"CMD"}, words[i:]...)
			return h, nil
		}
		d, err := time.ParseDuration(value)
		if err != nil {
			return nil, fmt.Errorf("health check: %w", err)
		}
		*to = d
	}
	return nil, nil
}

// layerOf packs what a COPY brings: files, or one empty folder, and the folders above them.
func layerOf(c stage.Copy, at time.Time, local func(string) string) ([]byte, error) {
	uid, gid := 0, 0
	if c.Owner != "" {
		if _, err := fmt.Sscanf(c.Owner, "%d:%d", &uid, &gid); err != nil {
			return nil, fmt.Errorf("owner %q: want uid:gid as numbers", c.Owner)
		}
	}
	entries := map[string]*tar.Header{}
	content := map[string][]byte{}
	for _, source := range c.Sources {
		info, err := os.Stat(local(source))
		if err != nil {
			return nil, err
		}
		to := strings.TrimPrefix(c.To, "/")
		if strings.HasSuffix(c.To, "/") {
			to += path.Base(source)
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: to, Mode: 0o644, Uid: uid, Gid: gid}
		switch {
		case info.IsDir():
			h.Typeflag, h.Name, h.Mode = tar.TypeDir, to+"/", 0o700
		case info.Mode()&0o111 != 0:
			h.Mode = 0o755
		}
		if !info.IsDir() {
			if content[h.Name], err = os.ReadFile(local(source)); err != nil {
				return nil, err
			}
			h.Size = int64(len(content[h.Name]))
		}
		entries[h.Name] = h
		for dir := path.Dir(to); dir != "."; dir = path.Dir(dir) {
			if entries[dir+"/"] == nil {
				entries[dir+"/"] = &tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}
			}
		}
	}
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		h := entries[key]
		h.ModTime, h.Format = at, tar.FormatUSTAR
		if err := t.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("pack %q: %w", h.Name, err)
		}
		if _, err := t.Write(content[key]); err != nil {
			return nil, fmt.Errorf("pack %q: %w", h.Name, err)
		}
	}
	err := t.Close()
	return b.Bytes(), err
}
