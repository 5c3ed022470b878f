package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/contextd/contextd/internal/obs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is a collector that decodes with the protocol's own types.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex // guards the rest
	spans []*otlp.Span
	last  *otlp.ResourceSpans
	head  http.Header
	posts int
	codes []int // of the first answers
}

func receive(t *testing.T, codes ...int) *receiver {
	t.Helper()
	r := &receiver{codes: codes}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var q collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &q)
		}
		if err != nil || len(q.ResourceSpans) != 1 || len(q.ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("request %v: %v", &q, err)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.posts++
		if r.posts <= len(r.codes) {
			w.Header().Set("Location", r.URL+"/elsewhere")
			w.WriteHeader(r.codes[r.posts-1])
			return
		}
		r.last, r.head = q.ResourceSpans[0], req.Header.Clone()
		for _, s := range r.last.ScopeSpans {
			r.spans = append(r.spans, s.Spans...)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// traced runs work with a tracer and returns what came, by name.
func traced(t *testing.T, r *receiver, o Options, work func(tr *Tracer)) map[string]*otlp.Span {
	t.Helper()
	o.Endpoint, o.Service, o.Version = r.URL+"/v1/traces", "contextd-test", "v1"
	tr := New(o)
	work(tr)
	tr.Close(t.Context())
	r.mu.Lock()
	defer r.mu.Unlock()
	byName := map[string]*otlp.Span{}
	for _, s := range r.spans {
		byName[s.Name] = s
	}
	return byName
}

var all = Sampler{Share: 1}

func TestSpansArriveWithParentTimesFactsAndKindOfError(t *testing.T) {
	t.Parallel()
	r := receive(t)
	secret := errors.New(`read "/srv/secret.go": permission denied`)
	got := traced(t, r, Options{Sampler: all, Headers: map[string]string{"X-Key": "k"},
		Resource: map[string]string{"team": "blue"}}, func(tr *Tracer) {
		ctx, end := tr.Begin(t.Context(), "outer")
		_, inner := tr.Begin(ctx, "inner")
		inner(secret, nil)
		end(nil, []obs.Fact{obs.Count("files", 3), obs.Count("less", -1), obs.Word("status", "ok"),
			obs.Word("long", strings.Repeat("é", 500)), obs.Word("bad", "\xff")})
	})
	outer, inner := got["outer"], got["inner"]
	if outer == nil || inner == nil {
		t.Fatalf("spans %v", got)
	}
	if !bytes.Equal(inner.ParentSpanId, outer.SpanId) || !bytes.Equal(inner.TraceId, outer.TraceId) ||
		len(outer.TraceId) != 16 || len(outer.ParentSpanId) != 0 ||
		outer.StartTimeUnixNano == 0 || inner.StartTimeUnixNano < outer.StartTimeUnixNano ||
		inner.EndTimeUnixNano > outer.EndTimeUnixNano || inner.EndTimeUnixNano < inner.StartTimeUnixNano {
		t.Errorf("outer %v\ninner %v", outer, inner)
	}
	if inner.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || len(inner.Attributes) != 1 ||
		inner.Attributes[0].Value.GetStringValue() != "error" || strings.Contains(inner.String(), "secret") {
		t.Errorf("a failed stage is %v: want its kind alone", inner)
	}
	if a := outer.Attributes; len(a) != 5 || a[0].Key != "contextd.files" || a[0].Value.GetIntValue() != 3 ||
		a[1].Value.GetIntValue() != -1 || a[2].Value.GetStringValue() != "ok" ||
		len(a[3].Value.GetStringValue()) != maxWord {
		t.Errorf("facts %v", a)
	}
	about := r.last.Resource.String()
	for _, want := range []string{"contextd-test", "service.version", "blue"} {
		if !strings.Contains(about, want) {
			t.Errorf("the resource %s lacks %q", about, want)
		}
	}
	if r.head.Get("X-Key") != "k" || r.head.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("headers %v", r.head)
	}
}

func TestTraceparentBecomesTheParentAndDecidesUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	const on, off = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	for name, c := range map[string]struct {
		header string
		by     Sampler
		kept   bool
	}{"sampled": {
		on, Sampler{0, false}, true,
	}, "not sampled": {off, all, false}, "always": {off, Sampler{1, true}, true},
		"never": {on, Sampler{0, true}, false}} {
		got := traced(t, receive(t), Options{Sampler: c.by}, func(tr *Tracer) {
			ctx, end := tr.Begin(tr.Remote(t.Context(), c.header), "outer")
			_, inner := tr.Begin(ctx, "inner")
			inner(nil, nil)
			end(nil, nil)
		})
		if kept := len(got) == 2; kept != c.kept || len(got) == 1 {
			t.Errorf("%s: %v", name, got)
		} else if kept && (got["outer"].ParentSpanId[0] != 0xb7 || got["outer"].TraceId[0] != 0x0a ||
			got["outer"].Flags&flagsRemote == 0 || got["inner"].Flags&flagsRemote != 0) {
			t.Errorf("%s: %v", name, got["outer"])
		}
	}
}

func TestACollectorThatIsGoneHoldsNothingUp(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hangs.Close()
	tr := New(Options{Endpoint: hangs.URL, Sampler: all, Delay: time.Millisecond, Timeout: time.Hour,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3*maxWaiting + maxBatch { // none of them waits
		_, end := tr.Begin(t.Context(), "x")
		end(nil, nil)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr.Close(ctx)
	if n := strings.Count(log.String(), "spans dropped"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log.String())
	}
}

func TestOnlyWhatMayBeTakenLaterIsSentAgainAndNoRedirectFollowed(t *testing.T) {
	t.Parallel()
	for code, posts := range map[int]int{
		http.StatusServiceUnavailable: 2,
		http.StatusBadRequest:         1,
		http.StatusTemporaryRedirect:  1,
	} {
		r := receive(t, code)
		got := traced(t, r, Options{Sampler: all}, func(tr *Tracer) {
			_, end := tr.Begin(t.Context(), "x")
			end(nil, nil)
		})
		if r.posts != posts || (got["x"] != nil) != (posts == 2) {
			t.Errorf("status %d: %d posts, span %v", code, r.posts, got["x"])
		}
	}
}

func TestShareOfTracesIsKept(t *testing.T) {
	t.Parallel()
	kept := 0
	for i := range 1000 {
		var id [16]byte
		id[8] = byte(i * 37)
		id[9] = byte(i)
		if (Sampler{Share: 0.25}).keeps(id) {
			kept++
		}
	}
	if kept < 200 || kept > 300 || (Sampler{}).keeps([16]byte{}) ||
		!all.keeps([16]byte{8: 0xff, 9: 0xff, 10: 0xff, 15: 0xff}) {
		t.Errorf("a quarter is %d of 1000 (of %v)", kept, uint64(math.MaxInt64))
	}
}

func FuzzTraceparent(f *testing.F) {
	for _, s := range []string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		sc, ok := parse(header)
		if !ok && sc != (scope{}) {
			t.Fatalf("%q: %+v of a wrong header", header, sc)
		}
		if ok && (sc.trace == [16]byte{} || sc.id == [8]byte{} || !sc.remote || len(header) < 55 ||
			header[:2] == "ff" || header != strings.ToLower(header)) {
			t.Fatalf("%q was taken as %+v", header, sc)
		}
	})
}
