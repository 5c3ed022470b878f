package sandbox

import (
	"encoding/binary"
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// openFlags open without following a link, without waiting for the other end of a pipe.
const openFlags = unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY

// maxPath is the length from which a path is opened step by step: the kernel takes 4,096 bytes at once.
const maxPath = 4000

// listingSys is the open handle of a listed folder.
type listingSys struct{ fd int }

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

// statAt looks at name in the open folder fd.
func statAt(fd int, name, rel string) (File, form, error) {
	var st unix.Stat_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return File{}, 0, err
	}
	return fileOfStat(rel, &st), formOfMode(st.Mode), nil
}

func fileOfStat(rel string, st *unix.Stat_t) File {
	return File{Path: rel, Size: st.Size, MTime: st.Mtim.Nano(), CTime: st.Ctim.Nano(), Inode: st.Ino}
}

func formOfMode(mode uint32) form {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return formFile
	case unix.S_IFDIR:
		return formDir
	case unix.S_IFLNK:
		return formLink
	}
	return formOther
}

// list reads the folder rel; full is put before each name. The listing stays open until done is called.
func (r *Root) list(rel, full string, l *listing) error {
	l.reset()
	fd, err := r.openFd(rel, openFlags|unix.O_DIRECTORY)
	if err != nil {
		l.sys.fd = -1
		return err
	}
	l.sys.fd = fd
	if l.dents == nil {
		l.dents = make([]byte, 32<<10)
	}
	for {
		n, err := retry(func() (int, error) { return unix.ReadDirent(fd, l.dents) })
		if err != nil {
			l.done()
			return err
		}
		if n <= 0 {
			break
		}
		l.parse(l.dents[:n], full)
	}
	l.finish(full)
	return nil
}

// parse notes the names in a block of directory entries: inode (8 bytes), offset (8), length (2), type (1), name, NUL.
func (l *listing) parse(block []byte, full string) {
	for len(block) >= 19 {
		size := int(binary.NativeEndian.Uint16(block[16:]))
		if size < 20 || size > len(block) {
			return
		}
		name, typ := block[19:size], block[18]
		block = block[size:]
		for i, c := range name {
			if c == 0 {
				name = name[:i]
				break
			}
		}
		if s := string(name); s != "." && s != ".." {
			f := formOther
			switch typ {
			case unix.DT_REG:
				f = formFile
			case unix.DT_DIR:
				f = formDir
			case unix.DT_LNK:
				f = formLink
			case unix.DT_UNKNOWN:
				_, f, _ = statAt(l.sys.fd, s, "")
			}
			l.add(full, s, f)
		}
	}
}

// stat looks at an entry of the listing.
func (l *listing) stat(e entry, rel string) (File, form, error) { return statAt(l.sys.fd, e.name, rel) }

// done closes the listed folder.
func (l *listing) done() {
	if l.sys.fd >= 0 {
		unix.Close(l.sys.fd)
	}
	l.sys.fd = -1
}

// readFile opens rel, looks at it and, if it is a regular file of at most limit bytes, reads it. f.Size above limit
// comes with no data; more than limit bytes of data come where the file grew meanwhile.
func (r *Root) readFile(rel string, limit int64) (data []byte, f File, kind form, err error) {
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
	if kind != formFile || f.Size > limit {
		return nil, f, kind, nil
	}
	data = make([]byte, 0, f.Size+1)
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
