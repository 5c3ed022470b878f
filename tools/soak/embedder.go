//go:build unix

package main

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

// embedder is a server of embeddings, compatible with OpenAI's, that can be made bad.
type embedder struct {
	server *httptest.Server
	mode   atomic.Value // "good", "slow", "hang", "size", "few", "torn" or "busy"
	delay  atomic.Int64 // of slow ones, in ns
}

func newEmbedder() *embedder {
	e := &embedder{}
	e.mode.Store("good")
	e.server = httptest.NewServer(e)
	return e
}

func (e *embedder) close() {
	e.server.CloseClientConnections()
	e.server.Close()
}

func (e *embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	size, texts := 64, in.Input
	switch e.mode.Load() {
	case "slow":
		select {
		case <-time.After(time.Duration(e.delay.Load())):
		case <-r.Context().Done():
			return
		}
	case "hang":
		<-r.Context().Done()
		return
	case "size":
		size = 48
	case "few":
		texts = texts[:len(texts)/2]
	case "torn":
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[0.1,`)
		return
	case "busy":
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	var data []map[string]any
	for i, text := range texts {
		data = append(data, map[string]any{"index": i, "embedding": vector(text, size)})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// vector is the counts of a text's words, in so many heaps.
func vector(text string, size int) []float64 {
	v := make([]float64, size)
	v[0] = .1
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		h := fnv.New32()
		_, _ = io.WriteString(h, word)
		v[h.Sum32()%uint32(size)]++
	}
	return v
}

// embedder makes the embedding server bad for a while.
func (s *spell) embedder(mode string) func(context.Context) error {
	return func(context.Context) error {
		s.faulty.finish("embed")
		s.embed.delay.Store(int64(s.rnd.IntN(3000)) * int64(time.Millisecond))
		s.embed.mode.Store(mode)
		s.faulty.begin("embed", s.aWhile(), func() { s.embed.mode.Store("good") })
		return nil
	}
}
