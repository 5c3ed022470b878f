package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// listingSys is the open handle of a listed folder.
type listingSys struct{ fd int }

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
