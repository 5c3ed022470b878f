package api

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/wire"
)

func TestTheLastHourOfTheQueueIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began, asked := time.Now(), 0
		var h queueHistory
		go h.sample(ctx, func(context.Context) (queue.Stats, error) {
			if asked++; asked%2 == 0 {
				return queue.Stats{}, errors.New("no answer")
			}
			return queue.Stats{Depth: asked, Inflight: 2, Dead: 1}, nil
		}, time.Now)
		time.Sleep(2*time.Hour + sampleEvery/2)
		cancel()
		synctest.Wait()
		got := h.all()
		if asked != 721 || len(got) != samplesKept {
			t.Fatalf("asked %d times, kept %d samples; want 721 and %d", asked, len(got), samplesKept)
		}
		want := client.QueueSample{At: wire.Time(began.Add(2 * time.Hour)), Depth: 721, Inflight: 2, Dead: 1}
		if got[samplesKept-1] != want || got[0].Depth != 3 {
			t.Errorf("from %+v to %+v; want depth 3 first, and %+v last", got[0], got[samplesKept-1], want)
		}
	})
}

func TestTheQueueHistoryBeginsWithTheServer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.srv.Run(ctx, l) }()
		var got struct {
			Every   int64                `json:"every_ms"`
			Samples []client.QueueSample `json:"samples"`
		}
		for len(got.Samples) == 0 { // nobody listened to events, no page is open
			r, err := http.Get("http://" + l.Addr().String() + "/v1/queue/history")
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil || got.Every != sampleEvery.Milliseconds() {
				t.Fatalf("%+v, %v", got, err)
			}
			r.Body.Close()
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if a := w.do("GET", "/v1/queue/history", ""); a.code != http.StatusOK {
			t.Errorf("%d %s", a.code, a.body)
		}
	})
}
