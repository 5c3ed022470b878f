package cli

import (
	"fmt"
	"io"
	"log/slog"
	"reflect"

	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/safetext"
)

// Logger is the log of a command, to stderr: text on a terminal, else one JSON object a line.
func Logger(cfg config.Config, stderr io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.LogLevel, ReplaceAttr: CleanAttr}
	if cfg.LogFormat == "text" || cfg.LogFormat == "" && IsTerminal(stderr) {
		return slog.New(slog.NewTextHandler(stderr, opts))
	}
	return slog.New(slog.NewJSONHandler(stderr, opts))
}

// CleanAttr neutralises what file names and messages may hold.
func CleanAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(safetext.Line(v.String()))
	case slog.KindDuration:
		a.Value = slog.StringValue(v.Duration().String())
	case slog.KindTime:
		a.Value = slog.TimeValue(v.Time().UTC())
	case slog.KindAny:
		switch x := v.Any().(type) {
		case error:
			a.Value = slog.StringValue(safetext.Line(x.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(safetext.Line(x.String()))
		case []string:
			list := make([]string, len(x))
			for i := range x {
				list[i] = safetext.Line(x[i])
			}
			a.Value = slog.AnyValue(list)
		default: // a named kind of string, such as a reason
			if r := reflect.ValueOf(x); r.Kind() == reflect.String {
				a.Value = slog.StringValue(safetext.Line(r.String()))
			}
		}
	}
	return a
}
