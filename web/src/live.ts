// One WebSocket for the whole page. Events are gathered and passed on a few times a second, so that a burst costs no more than one.
import type { Event, QueueChange, QueueSample } from "../../clients/ts/contextd.js";
import { server } from "./server.js";

export type State = "connecting" | "live" | "lost";

const flushEvery = 400; // ms
const firstWait = 500; // ms, doubled with each failure
const longestWait = 30_000;
const samplesKept = 1000;

/** The counts of the queue at a time. */
export interface Sample {
  at: number;
  depth: number;
  inflight: number;
  dead: number;
}

/** What was gathered since the last time: of each type, project and agent the last event. */
export type Batch = Event[];

export class Live {
  state: State = "connecting";
  samples: Sample[] = [];
  received = 0;
  private batches = new Set<(batch: Batch) => void>();
  private states = new Set<(state: State) => void>();
  private again = new Set<() => void>();
  private waiting = new Map<string, Event>();
  private timer: number | undefined;
  private stop: AbortController | undefined;
  private wake: (() => void) | undefined;

  /** Calls f with what happened; the function returned ends that. */
  on(f: (batch: Batch) => void): () => void {
    this.batches.add(f);
    return () => this.batches.delete(f);
  }

  /** Calls f when the connection is another. */
  onState(f: (state: State) => void): () => void {
    this.states.add(f);
    return () => this.states.delete(f);
  }

  /** Calls f when events may have been missed: what is shown has to be read again. */
  onAgain(f: () => void): () => void {
    this.again.add(f);
    return () => this.again.delete(f);
  }

  /** Connects, and connects again whenever the connection is lost, until end is called. */
  async run(): Promise<void> {
    const stop = (this.stop = new AbortController());
    for (let failed = 0, first = true; !stop.signal.aborted; ) {
      try {
        for await (const e of server.events({}, { signal: stop.signal })) {
          if (e.type === "ready") {
            failed = 0;
            this.become("live");
            if (!first) this.again.forEach((f) => f());
            first = false;
          } else {
            this.take(e);
          }
        }
      } catch {
        // said by the state
      }
      if (stop.signal.aborted) return;
      this.become("lost");
      const wait = Math.min(longestWait, firstWait * 2 ** Math.min(failed++, 10)) * (0.75 + 0.5 * Math.random());
      await new Promise<void>((done) => {
        this.wake = done;
        setTimeout(done, wait);
      });
    }
  }

  /** Tries to connect now. */
  retry(): void {
    this.wake?.();
  }

  end(): void {
    this.stop?.abort();
    this.wake?.();
    this.become("connecting");
  }

  /** Takes one event as if it had been received. */
  take(e: Event): void {
    this.received++;
    if (e.type === "queue_changed") this.sample(e.data);
    this.waiting.set(`${e.type}\n${e.project}\n${e.agent}`, e);
    this.timer ??= window.setTimeout(() => this.flush(), flushEvery);
  }

  /** Notes the counts of the queue as of now. */
  sample(q: Pick<QueueChange, "depth" | "inflight" | "dead">): void {
    const at = Date.now();
    const last = this.samples.at(-1);
    if (last && at - last.at < 250) this.samples.pop();
    this.samples.push({ at, depth: q.depth, inflight: q.inflight, dead: q.dead });
    if (this.samples.length > samplesKept) this.samples.shift();
  }

  /** Puts the samples that the server took before those of this page. */
  before(samples: QueueSample[]): void {
    const first = this.samples[0]?.at ?? Infinity;
    const earlier = samples.map((s) => ({ ...s, at: Date.parse(s.at) })).filter((s) => s.at < first);
    this.samples = [...earlier, ...this.samples].slice(-samplesKept);
  }

  private flush(): void {
    this.timer = undefined;
    const batch = [...this.waiting.values()];
    this.waiting.clear();
    this.batches.forEach((f) => f(batch));
  }

  private become(state: State): void {
    if (this.state === state) return;
    this.state = state;
    this.states.forEach((f) => f(state));
  }
}

export const live = new Live();
