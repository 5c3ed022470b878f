package trace

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options of a Tracer.
type Options struct {
	Endpoint         string            // where spans are posted to
	Headers          map[string]string // with each post, such as a key
	Timeout          time.Duration     // of one post; 0 means 10 s
	Delay            time.Duration     // how long spans wait for others; 0 means 5 s
	Resource         map[string]string // about this process
	Service, Version string
	Sampler          Sampler
	Log              *slog.Logger // nil: none
}

// Sampler says which traces are kept.
type Sampler struct {
	Share  float64 // of the traces that begin here, 0 to 1
	Always bool    // the share holds for what others began, too; else they decide
}

const maxSetting = 16 << 10 // bytes of one variable

// FromEnv reads the variables OTEL_… of the OpenTelemetry specification. on: there is an endpoint, and nothing switches
// traces off. No error holds a value that may be secret.
func FromEnv(getenv func(string) string) (o Options, on bool, err error) {
	get := func(names ...string) string {
		for _, n := range names {
			if v := strings.TrimSpace(getenv(n)); v != "" {
				return v[:min(len(v), maxSetting)]
			}
		}
		return ""
	}
	both := func(name string) string { return get("OTEL_EXPORTER_OTLP_TRACES_"+name, "OTEL_EXPORTER_OTLP_"+name) }
	o.Endpoint = get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	variable := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	if base := get("OTEL_EXPORTER_OTLP_ENDPOINT"); o.Endpoint == "" && base != "" {
		o.Endpoint, variable = strings.TrimRight(base, "/")+"/v1/traces", "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	if o.Endpoint == "" || strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") ||
		get("OTEL_TRACES_EXPORTER") == "none" {
		return o, false, nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return o, false,
			errors.New(variable + ": want http://HOST:PORT or https://HOST:PORT, without a name or password")
	}
	if p := both("PROTOCOL"); p != "" && p != "http/protobuf" {
		return o, false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: want http/protobuf (got %.40q)", p)
	}
	if o.Headers, err = pairs(both("HEADERS")); err != nil {
		return o, false, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	if o.Resource, err = pairs(get("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return o, false, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if name := get("OTEL_SERVICE_NAME"); name != "" {
		o.Resource["service.name"] = name
	}
	if o.Timeout, err = millis("OTEL_EXPORTER_OTLP_TIMEOUT", both("TIMEOUT")); err != nil {
		return o, false, err
	}
	if o.Delay, err = millis("OTEL_BSP_SCHEDULE_DELAY", get("OTEL_BSP_SCHEDULE_DELAY")); err != nil {
		return o, false, err
	}
	o.Sampler, err = sampler(get("OTEL_TRACES_SAMPLER"), get("OTEL_TRACES_SAMPLER_ARG"))
	return o, err == nil, err
}

func (o Options) service(name string) string { return cmp.Or(o.Resource["service.name"], name) }

// pairs reads k=v,k2=v2 with percent-encoded values.
func pairs(text string) (map[string]string, error) {
	all := map[string]string{}
	for i, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		k, v, ok := strings.Cut(part, "=")
		v, err := url.PathUnescape(strings.TrimSpace(v))
		if k = strings.TrimSpace(k); !ok || k == "" || err != nil || strings.ContainsAny(k+v, "\r\n\x00") {
			return nil, fmt.Errorf("pair %d: want KEY=VALUE", i+1)
		}
		all[k] = v
	}
	return all, nil
}

func millis(name, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 600_000 {
		return 0, fmt.Errorf("%s: want milliseconds, 1 to 600000 (got %.20q)", name, text)
	}
	return time.Duration(n) * time.Millisecond, nil
}

func sampler(name, arg string) (Sampler, error) {
	share := 1.0
	if arg != "" {
		var err error
		if share, err = strconv.ParseFloat(arg, 64); err != nil || !(share >= 0 && share <= 1) {
			return Sampler{}, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG: want a number from 0 to 1 (got %.20q)", arg)
		}
	}
	base, follows := strings.CutPrefix(cmp.Or(name, "parentbased_always_on"), "parentbased_")
	switch base {
	case "always_on":
		return Sampler{1, !follows}, nil
	case "always_off":
		return Sampler{0, !follows}, nil
	case "traceidratio":
		return Sampler{share, !follows}, nil
	}
	return Sampler{}, fmt.Errorf("OTEL_TRACES_SAMPLER: no sampler %.40q", name)
}
