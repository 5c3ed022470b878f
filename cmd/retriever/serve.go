package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/api"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/syserr"
	"github.com/contextd/contextd/internal/trace"
)

const (
	// serveDefault is where the server listens.
	serveDefault = "127.0.0.1:9465"
	// maxToken and minToken bound the length of a token.
	maxToken, minToken = 4096, 16
)

func serveCommand() *cobra.Command {
	var tools string
	cmd := &cobra.Command{Use: "serve", Short: "answer over HTTP until stopped: the server", Args: cli.Args("", 0, 0),
		Long: `serve answers POST /v1/context and the other operations of docs/API.md, sends events over WebSocket, and serves /metrics,
/healthz, /readyz and /openapi.json. /mcp takes the Model Context Protocol. Only folders under --allow-root are indexed from here; with none, projects that are indexed
already are answered from. On another address than loopback a token is wanted. SIGINT and SIGTERM stop it.`}
	cmd.Flags().StringVar(&tools, "mcp-tools", toolsCommon, "tools of /mcp: common or all, as of the command mcp")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		all, err := allTools("mcp-tools", tools)
		if err != nil {
			return err
		}
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		token, err := readToken(cfg, log)
		if err != nil {
			return err
		}
		profiles, err := readProfiles(cfg.Profiles)
		if err != nil {
			return err
		}
		defer trace.Start("contextd-retriever", cli.Version(), log)()
		debug.SetGCPercent(100) // a server lives long, unlike the other commands
		l, err := api.Listen(cmp.Or(cfg.Listen, serveDefault), token)
		if err != nil {
			return err
		}
		defer l.Close()
		s, err := openApp(cfg, log, answerLimit, true, func(o *app.Options) {
			o.Profiles, o.Refresh = profiles, freshness.Behind
		})
		if err != nil {
			return err
		}
		defer closeApp(s, log)
		if err := s.Backend.Refused(cmd.Context()); err != nil {
			return err
		}
		srv, err := api.New(api.Options{App: s, Spool: spool.Open(cfg.SpoolDir()), Token: token, Tools: all,
			Version: cli.Version(), Log: log})
		if err != nil {
			return err
		}
		if len(cfg.AllowRoots) == 0 {
			log.Warn("no allowed root: what is indexed is answered from, and nothing is indexed here",
				"hint", "give --allow-root DIR")
		}
		log.Info("serving", "listen", l.Addr(), "backend", s.Backend.Name, "token", token != "")
		return srv.Run(cmd.Context(), l)
	}
	return cmd
}

// readToken is the token of the settings; "" for none.
func readToken(cfg config.Config, log *slog.Logger) (string, error) {
	if cfg.TokenFile == "" {
		return cfg.Token, checkToken("environment variable CONTEXTD_TOKEN", cfg.Token)
	}
	f, err := os.Open(cfg.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read token file %q: %w", cfg.TokenFile, syserr.Cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		log.Warn("others may read the token file", "path", cfg.TokenFile, "hint", "chmod 600")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxToken+2))
	if err != nil {
		return "", fmt.Errorf("read token file: %w", err)
	}
	token := strings.TrimRight(string(data), "\r\n")
	if token == "" {
		return "", cli.Hint(fmt.Errorf("token file %q is empty", cfg.TokenFile), "make one with: openssl rand -hex 32")
	}
	return token, checkToken(fmt.Sprintf("token file %q", cfg.TokenFile), token)
}

// checkToken makes sure that a token can be sent in a header and is not guessed; where says where it stands.
func checkToken(where, token string) error {
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f }
	switch {
	case token == "":
		return nil
	case len(token) > maxToken || len(token) < minToken:
		return cli.Hint(fmt.Errorf("%s: a token of %d characters, want %d to %d", where, len(token), minToken,
			maxToken), "make one with: openssl rand -hex 32")
	case strings.ContainsFunc(token, odd):
		return errors.New(where + ": want letters, digits and signs of ASCII, without spaces")
	}
	return nil
}
