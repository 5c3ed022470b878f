package trace

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestEnvironmentTurnsTracesOnAsTheSpecificationSays(t *testing.T) {
	t.Parallel()
	const base, own = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for name, c := range map[string]struct {
		env  map[string]string
		on   bool
		want string // the endpoint, or what the error holds
	}{
		"nothing":  {nil, false, ""},
		"base":     {map[string]string{base: "http://collector:4318/"}, true, "http://collector:4318/v1/traces"},
		"own":      {map[string]string{base: "http://a:1", own: "https://b:2/path"}, true, "https://b:2/path"},
		"disabled": {map[string]string{base: "http://a:1", "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		"none":     {map[string]string{base: "http://a:1", "OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"grpc": {map[string]string{base: "http://a:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false,
			"want http/protobuf"},
		"scheme":   {map[string]string{base: "a:1"}, false, "want http://HOST:PORT"},
		"password": {map[string]string{base: "http://me:hunter2@a:1"}, false, "without a name or password"},
		"header": {map[string]string{base: "http://a:1", "OTEL_EXPORTER_OTLP_HEADERS": "key=hunter2,other"},
			false, "pair 2: want KEY=VALUE"},
		"line in one": {map[string]string{base: "http://a:1",
			"OTEL_EXPORTER_OTLP_HEADERS": "key=hunter2%0d%0aHost:b"}, false, "pair 1"},
		"timeout": {map[string]string{base: "http://a:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, false,
			"want milliseconds"},
		"sampler": {map[string]string{base: "http://a:1", "OTEL_TRACES_SAMPLER": "coin"}, false, "no sampler"},
		"sampler's NaN": {map[string]string{base: "http://a:1", "OTEL_TRACES_SAMPLER_ARG": "NaN"}, false,
			"from 0 to 1"},
	} {
		o, on, err := FromEnv(func(k string) string { return c.env[k] })
		if on != c.on || on && (o.Endpoint != c.want || err != nil) {
			t.Errorf("%s: %t, %q, %v", name, on, o.Endpoint, err)
		}
		if !on && c.want == "" && err != nil || !on && c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: error %v, want %q and no secret", name, err, c.want)
		}
	}
	o, _, err := FromEnv(func(k string) string {
		return map[string]string{own: "http://a:1", "OTEL_EXPORTER_OTLP_HEADERS": "a=1, b=x%20y",
			"OTEL_RESOURCE_ATTRIBUTES": "team=blue,service.name=x", "OTEL_SERVICE_NAME": "mine",
			"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "300", "OTEL_BSP_SCHEDULE_DELAY": "20",
			"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"}[k]
	})
	if err != nil || !maps.Equal(o.Headers, map[string]string{"a": "1", "b": "x y"}) || o.service("z") != "mine" ||
		o.Resource["team"] != "blue" ||
		o.Timeout != 300*time.Millisecond || o.Delay != 20*time.Millisecond || o.Sampler != (Sampler{0.25, true}) {
		t.Errorf("%+v, %v", o, err)
	}
}
