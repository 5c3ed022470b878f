//go:build unix

package securitytest

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// open lists what below dir others may read or write.
func openToOthers(t *testing.T, dir string) (open []string, files int) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			open = append(open, path+" "+info.Mode().String())
		}
		files++
		return nil
	}))
	return open, files
}

// umaskZero runs a binary with a umask that takes nothing away.
func (w *world) umaskZero(name string, args ...string) string {
	w.t.Helper()
	cmd := w.command(w.t.Context(), name, args...)
	wrapped := exec.CommandContext(w.t.Context(), "sh",
		append([]string{"-c", `umask 000; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
	wrapped.Dir, wrapped.Env = cmd.Dir, cmd.Env
	out, err := wrapped.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%q: %v: %s", args, err, out)
	}
	return string(out)
}

// TestStateIsPrivateWhateverTheUmask: all folders 0700, all files 0600, the daemon's too, also below a state directory
// that was there with mode 0755, which stays as it is.
func TestStateIsPrivateWhateverTheUmask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(map[string]string{"a.py": "def lantern():\n    return 1\n"})
	w.umaskZero("indexer", "index", w.dir)
	w.umaskZero("retriever", "query", "lantern", "--root", w.dir)
	w.umaskZero("indexer", "enqueue", w.dir)
	w.umaskZero("retriever", "memory", "save", "the lantern burns oil", "--agent", "knight-1", "--root", w.dir)
	w.umaskZero("retriever", "history", "complete", "task-1", "--intent", "light the lantern", "--root", w.dir)
	for _, file := range []string{"documents.db", "audit"} {
		if _, err := os.Stat(filepath.Join(w.state, file)); err != nil {
			t.Error(err)
		}
	}
	stop := w.daemon("--watch", w.dir)
	until(t, "the daemon", func() bool {
		return strings.Contains(w.run("indexer", "status", "--json").out, `"daemon": true`)
	})
	w.umaskZero("indexer", "enqueue", w.dir, "a.py")
	if open, files := openToOthers(t, w.state); len(open) > 0 || files < 8 {
		t.Errorf("of %d files these are open: %q", files, open)
	}
	stop()
	if open, _ := openToOthers(t, w.state); len(open) > 0 {
		t.Errorf("open after the daemon's end: %q", open)
	}

	there := newWorld(t)
	there.write(map[string]string{"a.py": "x = 1\n"})
	must(t, os.Mkdir(there.state, 0o755))
	must(t, os.Chmod(there.state, 0o755))
	there.umaskZero("indexer", "index", there.dir)
	there.umaskZero("indexer", "enqueue", there.dir)
	open, _ := openToOthers(t, there.state)
	if want := []string{there.state + " drwxr-xr-x"}; !slices.Equal(open, want) {
		t.Errorf("open: %q, want %q", open, want)
	}
	if r := there.run("indexer", "doctor"); r.code != 1 || !strings.Contains(r.out, "open to others") ||
		!strings.Contains(r.out, "chmod 700") {
		t.Errorf("doctor: exit %d, %s", r.code, r.out)
	}
}

// TestStateThatAnybodyCanFillIsRefused by every command that would trust what lies there.
func TestStateThatAnybodyCanFillIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, os.Mkdir(w.state, 0o700))
	must(t, os.Chmod(w.state, 0o777))
	for _, args := range [][]string{
		{"indexer", "index", w.dir},
		{"indexer", "run"},
		{"indexer", "status"},
		{"indexer", "reset", "--yes"},
		{"retriever", "query", "x", "--root", w.dir},
		{"retriever", "why", "x", "--root", w.dir},
	} {
		if r := w.run(args[0], args[1:]...); r.code != 2 || !strings.Contains(r.err, "everybody may write") ||
			!strings.Contains(r.err, "hint: ") {
			t.Errorf("%q: exit %d, %s", args, r.code, r.err)
		}
	}
}

// TestOwnStateIsNeverIndexed: in the root, behind a link, or named as a root itself.
func TestOwnStateIsNeverIndexed(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"inside", "linked", "linked inside", "is the root"} {
		w := newWorld(t)
		real := filepath.Join(w.dir, "own")
		switch form {
		case "inside", "is the root":
			w.state = real
		case "linked": // --state-dir is a link that leads into the root
			must(t, os.Mkdir(real, 0o700))
			must(t, os.Symlink(real, w.state))
		case "linked inside": // a link in the root leads to the state elsewhere
			must(t, os.Mkdir(w.state, 0o700))
			must(t, os.Symlink(w.state, real))
		}
		w.write(map[string]string{"a.py": "def lantern():\n    return 1\n"})
		w.index()
		w.run("indexer", "enqueue", w.dir)
		must(t, os.WriteFile(filepath.Join(w.state, "lantern.txt"), []byte("lantern CURRENT daemon\n"), 0o600))
		if form == "is the root" {
			w.dir = w.state
			if r := w.run("indexer", "index", w.dir, "--json"); r.code != 0 || !strings.Contains(r.out, `"files": 0`) {
				t.Errorf("%s: %s%s", form, r.out, r.err)
			}
			continue
		}
		w.index()
		if got, _ := w.query("lantern"); !slices.Equal(got, []string{"a.py"}) {
			t.Errorf("%s: served %q", form, got)
		}
	}
}

// TestCredentialsAreNeverShown: the password of Redis and the keys in the environment, with a server that takes the
// password, one that refuses it, one that is not there, one that hangs; in URLs that can be read and that cannot.
func TestCredentialsAreNeverShown(t *testing.T) {
	t.Parallel()
	const password, key = "hunter2hunter2", "embedkeyembedkey"
	server := rdbtest.Own(t, rdbtest.Search, "--requirepass", password)
	_, addr, _ := strings.Cut(server.URL, "//")
	if i := strings.LastIndexByte(addr, '@'); i >= 0 {
		addr = addr[i+1:]
	}
	hang, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer hang.Close()
	for _, url := range []string{"redis://:" + password + "@" + addr, "redis://user:" + password + "x@" + addr,
		"redis://:" + password + "@127.0.0.1:1",
		"redis://:" + password + "@" + hang.Addr().String(), "redis://:1/" + password + "@" + addr,
		"redis://:1?" + password + "@" + addr, "redis://:%zz" + password + "@" + addr,
		"redis://:" + password + "@" + addr + "/9", "unix://:" + password + "@/nowhere/redis.sock"} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(map[string]string{"a.py": "def lantern():\n    return 1\n"})
			w.env = []string{"CONTEXTD_REDIS=" + url, "OPENAI_API_KEY=" + key, "AWS_SECRET_ACCESS_KEY=" + key}
			for _, args := range [][]string{{"indexer", "index", w.dir}, {"indexer", "enqueue", w.dir},
				{"indexer", "status"}, {"indexer", "status", "--json"}, {"indexer", "doctor"},
				{"indexer", "doctor", "--json"}, {"indexer", "queue", "list"},
				{"retriever", "query", "lantern", "--root", w.dir},
				{"retriever", "query", "lantern", "--root", w.dir, "--json"},
				{"retriever", "why", "a.py", "--root", w.dir}, {"indexer", "index", w.dir, "--redis", url}} {
				w.run(args[0], args[1:]...)
			}
			w.daemon("--watch", w.dir)()
			for _, r := range w.said {
				if strings.Contains(r.out+r.err, password) || strings.Contains(r.out+r.err, key) {
					t.Errorf("%q printed a credential: %s%s", r.args, r.out, r.err)
				}
			}
			for where, data := range w.stored() {
				if strings.Contains(data, password) || strings.Contains(data, key) {
					t.Errorf("a credential is stored in %s", where)
				}
			}
		})
	}
}

// TestHostilePeer: whatever answers in the place of Redis, a command ends with one of its exit statuses and no crash.
func TestHostilePeer(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{"nothing": "", "garbage": "\x00\xff\x00\xff",
		"http": "HTTP/1.1 400 Bad Request\r\n\r\n<html>", "a long line": "+" + strings.Repeat("x", 1<<20),
		"negative lengths": "*-5\r\n$-7\r\n", "an array without end": "*2147483647\r\n",
		"a text without end": "$2147483647\r\nx", "lengths past all numbers": "*99999999999999999999\r\n",
		"deep": strings.Repeat("*1\r\n", 1<<16), "another type": ":7\r\n", "nil": "$-1\r\n", "empty lists": "*0\r\n",
		"an error of a terminal": "-ERR \x1b[2J\u202e" + strings.Repeat("x", 1<<12) + "\r\n",
		"RESP3":                  "%1\r\n+a\r\n~1\r\n#t\r\n", "a push": ">2\r\n+message\r\n+x\r\n",
		"nested": "*3\r\n*1\r\n$1\r\na\r\n:1\r\n$-1\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			t.Cleanup(func() { l.Close() })
			go serveReplies(l, reply)
			w := newWorld(t)
			w.write(map[string]string{"a.py": "def lantern():\n    return 1\n"})
			w.env = []string{"CONTEXTD_REDIS=redis://" + l.Addr().String(), "GOMEMLIMIT=512MiB"}
			w.run("retriever", "query", "lantern", "--root", w.dir, "--json")
			w.run("retriever", "query", "lantern", "--root", w.dir, "--project", "p")
			if strings.HasSuffix(reply, "\r\n") {
				// else the others wait for the end of the reply, for as long as they may
				w.run("retriever", "why", "a.py", "--root", w.dir)
				w.run("indexer", "status")
				w.run("indexer", "queue", "list")
			}
			w.harmless()
		})
	}
}

// serveReplies answers everything that comes with reply, as often as it is asked.
func serveReplies(l net.Listener, reply string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			buf := make([]byte, 1<<16)
			for {
				n, err := c.Read(buf)
				if err != nil {
					return
				}
				for range max(1, bytes.Count(buf[:n], []byte("*"))) {
					if _, err := c.Write([]byte(reply)); err != nil {
						return
					}
				}
			}
		}()
	}
}

// TestLyingIndex: a peer that rewrites file entries, chunks and the root in Redis gets nothing from outside of the
// allowed roots served, and no crash.
func TestLyingIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.redis = rdbtest.Own(t, rdbtest.Search)
	outside := filepath.Join(w.home, "outside")
	must(t, os.Mkdir(outside, 0o700))
	text := "def lantern():\n    return 'treasure'\n"
	must(t, os.WriteFile(filepath.Join(outside, "vault.py"), []byte(text), 0o600))
	w.write(map[string]string{"vault.py": text, "id_rsa": text}) // so that sizes and hashes fit
	w.index()
	ctx, c, p := t.Context(), w.redis.Client(t), w.redis.Prefix
	project := strings.TrimPrefix(must1(c.Keys(ctx, p+":project:*").Result())[0], p+":project:")
	for _, lie := range []string{
		"../home/outside/vault.py", filepath.Join(outside, "vault.py"), "id_rsa", "\x00",
		"a/../../home/outside/vault.py", strings.Repeat("../", 2000),
	} {
		for _, kind := range []string{"f", "b", "n"} {
			for _, key := range must1(c.Keys(ctx, p+":"+kind+":"+project+":*").Result()) {
				for _, v := range must1(c.HGetAll(ctx, key).Result()) {
					must(t, c.HSet(ctx, key, lie, v).Err())
				}
			}
		}
		for _, key := range must1(c.Keys(ctx, p+":c:"+project+":*").Result()) {
			must(t, c.HSet(ctx, key, "p", lie).Err())
		}
		for _, q := range []string{"lantern", "treasure"} {
			paths, snippets := w.query(q, "--explain")
			if strings.Contains(snippets, "treasure") && slices.ContainsFunc(paths, func(p string) bool {
				return p != "vault.py"
			}) {
				t.Errorf("%q was believed: %q", lie, paths)
			}
		}
	}
	must(t, c.HSet(ctx, p+":project:"+project, "root", outside).Err())
	r := w.run("retriever", "query", "lantern", "--project", project, "--allow-root", w.dir)
	if r.code != 2 || strings.Contains(r.out, "treasure") || !strings.Contains(r.err, "not inside an allowed root") {
		t.Errorf("a root outside of the allowed ones: exit %d, %s%s", r.code, r.out, r.err)
	}
	for _, junk := range []string{"", "\x1b[2J", "-1", strings.Repeat("9", 40), "\xff\xfe"} {
		for _, field := range must1(c.HKeys(ctx, p+":project:"+project).Result()) {
			must(t, c.HSet(ctx, p+":project:"+project, field, junk).Err())
			w.run("retriever", "query", "lantern", "--root", w.dir)
			w.run("indexer", "status")
		}
	}
	w.harmless()
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestQuestionsOverTheLimitAreRefused before they take memory.
func TestQuestionsOverTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(map[string]string{"a.py": "def lantern():\n    return 1\n"})
	if r := w.runInput(strings.Repeat("lantern ", 1<<19+1), "retriever", "query", "-", "--root", w.dir); r.code != 2 ||
		!strings.Contains(r.err, "at most") {
		t.Errorf("over 4 MB: exit %d, %.200s", r.code, r.err)
	}
	if r := w.runInput(strings.Repeat("lantern ", 1<<19), "retriever", "query", "-", "--root", w.dir, "--deadline",
		"20s"); r.code != 0 {
		t.Errorf("4 MB: exit %d, %.200s", r.code, r.err)
	}
	// an answer of any kind
	w.runInput(strings.Repeat("x", 100_000)+" lantern", "retriever", "query", "-", "--root", w.dir)
}
