//go:build unix

package deploy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/tools/dist/stage"
)

// portVariable names the port of the server that a test's redis-cli asks.
const portVariable = "DEPLOY_TEST_REDIS_PORT"

// TestMain is redis-cli where the test binary has that name: not every machine with a server has one.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "redis-cli" {
		os.Exit(m.Run())
	}
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Getenv(portVariable),
		Password: os.Getenv("REDISCLI_AUTH")})
	args := make([]any, len(os.Args)-1)
	for i, a := range os.Args[1:] {
		args[i] = a
	}
	reply, err := c.Do(context.Background(), args...).Result()
	if err != nil {
		reply = err
	}
	fmt.Println(reply)
}

// composed is the services of the compose file as processes of this machine.
type composed struct {
	*testing.T
	services map[string]service
	images   map[string]stage.Stage
	path     *strings.Replacer // what stands at another place than in a container
	env      []string          // of the machine
	dir      string
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// command is what a container of the service runs, or argv in it.
func (c *composed) command(name string, argv ...string) *exec.Cmd {
	s := c.services[name]
	i := c.images[s.Build.Target]
	env := map[string]string{}
	for _, pair := range i.Env {
		k, v, _ := strings.Cut(pair, "=")
		env[k] = v
	}
	maps.Copy(env, s.Environment)
	if argv == nil {
		if argv = i.Cmd; s.Command != nil {
			argv = s.Command
		}
		argv = append(append([]string{}, i.Entrypoint...), argv...)
	}
	for k, a := range argv {
		argv[k] = c.path.Replace(a)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, append([]string{}, c.env...)
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+c.path.Replace(v))
	}
	return cmd
}

// up starts a service; the test ends it.
func (c *composed) up(name string) {
	c.Helper()
	var log bytes.Buffer
	cmd := c.command(name)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := e2etest.Start(cmd); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || c.Failed() {
			c.Errorf("%s ended with %v; its log:\n%s", name, err, log.String())
		}
	})
}

// healthy waits for the health check of a service to pass.
func (c *composed) healthy(name string) {
	c.Helper()
	check := c.services[name].Healthcheck.Test
	argv := check[1:]
	if check[0] == "CMD-SHELL" {
		argv = append([]string{"sh", "-c"}, argv...)
	}
	c.eventually("the health check of "+name, func() error {
		out, err := c.command(name, append([]string{}, argv...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

func (c *composed) eventually(what string, f func() error) {
	c.Helper()
	if err := e2etest.Eventually(30*time.Second, f); err != nil {
		c.Fatalf("%s: %v", what, err)
	}
}

// TestServicesOfTheComposeFileAnswerAsProcesses runs the commands, environments and health checks of docker-compose.yml
// and of the images' stages in the Dockerfile; only paths, host names and ports are those of this machine.
func TestServicesOfTheComposeFileAnswerAsProcesses(t *testing.T) {
	t.Parallel()
	program, err := rdbtest.Find(rdbtest.Search)
	if errors.Is(err, rdbtest.ErrNone) || program.Docker {
		t.Skipf("SKIPPED, NOT TESTED: want a Redis server on this machine: %v", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "srv")
	set := map[string]string{"CONTEXTD_ROOT": root, "CONTEXTD_TOKEN": "letmein-0123456789",
		"CONTEXTD_REDIS_PASSWORD": "opensesame"}
	c := &composed{T: t, services: parse(t, set), dir: dir}
	if c.images, err = stage.Parse(read(t, "..", "Dockerfile")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, data := filepath.Join(dir, "bin"), filepath.Join(dir, "data")
	if err := errors.Join(os.Mkdir(bin, 0o755), os.Mkdir(data, 0o700), e2etest.Build(bin, false),
		os.Symlink(self, filepath.Join(bin, "redis-cli")),
		e2etest.Write(filepath.Join(root, "web"), "harbour.go",
			"package web\n\n// OpenHarbour lets ships in.\nfunc OpenHarbour() {}\n")); err != nil {
		t.Fatal(err)
	}
	server := c.services["redis"].Command
	if server[0] != "redis-server" {
		t.Fatalf("redis runs %q", server)
	}
	process, err := rdbtest.Launch(program, data, server[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Kill)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(process.URL, "redis://"))
	if err != nil {
		t.Fatal(err)
	}
	metrics, api := freePort(t), freePort(t)
	c.path = strings.NewReplacer("/usr/local/bin/", bin+"/", "/var/lib/contextd", filepath.Join(dir, "state"),
		"@redis:6379", "@127.0.0.1:"+port,
		"0.0.0.0:9464", "0.0.0.0:"+metrics, "0.0.0.0:9465", "0.0.0.0:"+api)
	c.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, portVariable + "=" + port}
	c.healthy("redis")
	c.up("indexer")
	c.up("server")
	c.healthy("indexer")

	supervisor := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, Password: set["CONTEXTD_REDIS_PASSWORD"]})
	defer supervisor.Close()
	if err := supervisor.XAdd(t.Context(),
		&redis.XAddArgs{
			Stream: "ctx:refresh", Values: []string{"project_id", "web", "sandbox_root", filepath.Join(root, "web")},
		}).Err(); err != nil {
		t.Fatal(err)
	}
	ask := func(token string) (int, string, error) {
		body := strings.NewReader(`{"query": "OpenHarbour", "project": "web", "deadline_ms": 5000}`)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+api+"/v1/search", body)
		if err != nil {
			return 0, "", err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return r.StatusCode, string(text), err
	}
	c.eventually("an answer over HTTP", func() error {
		status, text, err := ask(set["CONTEXTD_TOKEN"])
		if err != nil || status != http.StatusOK || !strings.Contains(text, `"harbour.go"`) {
			return fmt.Errorf("%d %s %w", status, text, err)
		}
		return nil
	})
	if status, text, err := ask("guess"); err != nil || status != http.StatusUnauthorized {
		t.Errorf("with another token: %d %s %v", status, text, err)
	}
	tool := c.command("retriever", "/usr/local/bin/retriever", "query", "OpenHarbour", "--root",
		filepath.Join(root, "web"))
	if out, err := tool.CombinedOutput(); err != nil || !strings.Contains(string(out), "harbour.go") {
		t.Errorf("the tool: %v: %s", err, out)
	}
	http.DefaultClient.CloseIdleConnections()
}
