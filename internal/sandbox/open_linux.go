package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// folder is the handle of a root.
type folder struct {
	dir *os.File
}

// Close releases the root's handle.
func (f *folder) Close() error { return f.dir.Close() }

// openReal opens the folder at an absolute path of which no element is a link.
func openReal(path string) (*Root, error) {
	top, err := retry(func() (int, error) { return unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	slash := &Root{folder: folder{os.NewFile(uintptr(top), "/")}}
	defer slash.Close()
	rel := strings.Trim(filepath.Clean(path), "/")
	fd, err := slash.openFd(rel, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if errors.Is(err, unix.ENOTDIR) { // a link says this too where a folder is asked for
		if _, form, lerr := slash.lstat(rel); lerr != nil || form == formLink {
			err = unix.ELOOP
		}
	}
	if err != nil {
		return nil, err
	}
	return &Root{folder: folder{os.NewFile(uintptr(fd), path)}}, nil
}

// readlink is what the link rel says, whose folder is no link.
func (r *Root) readlink(rel string) (string, error) {
	fd, err := r.openFd(rel, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	said := make([]byte, unix.PathMax)
	n, err := retry(func() (int, error) { return unix.Readlinkat(fd, "", said) })
	if err != nil {
		return "", err
	}
	return string(said[:n]), nil
}

// openFlags open without following a link, without waiting for the other end of a pipe.
const openFlags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY

// maxPath is the length from which a path is opened step by step: the kernel takes 4,096 bytes at once.
const maxPath = 4000

// openFd opens rel below the root. The kernel itself refuses links anywhere in rel and what leads out of the root, also
// while somebody swaps folders for links; without openat2 each step is opened from the one before.
func (r *Root) openFd(rel string, flags int) (int, error) {
	if rel == "" {
		rel = "."
	}
	if len(rel) < maxPath {
		how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
		for {
			fd, err := unix.Openat2(int(r.dir.Fd()), rel, &how)
			switch {
			case err == nil:
				return fd, nil
			case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
				continue
			case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
				return r.openSteps(rel, flags)
			}
			return -1, err
		}
	}
	return r.openSteps(rel, flags)
}

// openSteps opens rel one element at a time, none of them a link.
func (r *Root) openSteps(rel string, flags int) (int, error) {
	parent := int(r.dir.Fd())
	for {
		head, rest, more := strings.Cut(rel, "/")
		if head == ".." {
			return -1, unix.EXDEV
		}
		step := flags
		if more {
			step = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
		}
		fd, err := retry(func() (int, error) { return unix.Openat(parent, head, step, 0) })
		if parent != int(r.dir.Fd()) {
			unix.Close(parent)
		}
		if err != nil || !more {
			return fd, err
		}
		parent, rel = fd, rest
	}
}

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// lstat looks at rel without following a link at its end.
func (r *Root) lstat(rel string) (File, form, error) {
	at, name := int(r.dir.Fd()), rel
	if rel == "" {
		name = "."
	}
	if len(rel) >= maxPath {
		cut := strings.LastIndexByte(rel, '/')
		fd, err := r.openSteps(rel[:max(cut, 0)], unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC)
		if err != nil {
			return File{}, 0, err
		}
		defer unix.Close(fd)
		at, name = fd, rel[cut+1:]
	}
	return statAt(at, name, rel)
}

// readFile opens rel, looks at it and, if it is a regular file of at most limit bytes, reads it. f.Size above limit
// comes with no data; more than limit bytes of data come where the file grew meanwhile.
func (r *Root) readFile(rel string, limit int64) (data []byte, f File, kind form, err error) {
	return r.readStart(rel, limit, false)
}

// readStart is readFile, and with long it reads the first limit bytes of a longer file, and one more.
func (r *Root) readStart(rel string, limit int64, long bool) (data []byte, f File, kind form, err error) {
	fd, err := r.openFd(rel, openFlags)
	if err != nil {
		if errors.Is(err, unix.ENXIO) { // a socket
			return nil, f, formOther, nil
		}
		return nil, f, 0, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, f, 0, err
	}
	f, kind = fileOfStat(rel, &st), formOfMode(st.Mode)
	if kind != formFile || f.Size > limit && !long {
		return nil, f, kind, nil
	}
	data = make([]byte, 0, min(f.Size, limit)+1)
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		room := data[len(data):min(int64(cap(data)), limit+1)]
		n, err := retry(func() (int, error) { return unix.Read(fd, room) })
		if err != nil {
			return nil, f, kind, err
		}
		if n <= 0 {
			break
		}
		data = data[:len(data)+n]
	}
	return data, f, kind, nil
}
