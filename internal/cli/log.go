package cli

import (
	"io"
	"log/slog"

	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/obs"
)

// Logger is the log of a command, to stderr: text on a terminal, else one JSON object a line.
func Logger(cfg config.Config, stderr io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.LogLevel, ReplaceAttr: cleanAttr}
	if cfg.LogFormat == "text" || cfg.LogFormat == "" && IsTerminal(stderr) {
		return slog.New(slog.NewTextHandler(stderr, opts))
	}
	return slog.New(slog.NewJSONHandler(stderr, opts))
}

// cleanAttr neutralises what file names and messages may hold.
func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(obs.Clean(v.String(), false))
	case slog.KindDuration:
		a.Value = slog.StringValue(v.Duration().String())
	case slog.KindTime:
		a.Value = slog.TimeValue(v.Time().UTC())
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			a.Value = slog.StringValue(obs.Clean(err.Error(), false))
		}
	}
	return a
}
