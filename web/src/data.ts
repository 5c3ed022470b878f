// Reading from the server: one thing at a time, read again when something happened.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../../clients/ts/contextd.js";
import { live } from "./live.js";

export interface Data<T> {
  value: T | undefined; // the last that was read, also while it is read again
  error: unknown; // why the last reading failed; undefined if it did not
  loading: boolean;
  reload: () => void;
}

/** Errors that say that a token is wanted are given to this, beside where they happened. */
export const refused = { tell: (_: unknown) => {} };

/**
 * Reads by load, again when what it depends on changes, when an event passes stir, and when events may have been missed.
 * While one reading is on its way at most one more waits.
 */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[], stir?: (e: Event) => boolean): Data<T> {
  const [state, set] = useState<{ value?: T; error?: unknown; loading: boolean }>({ loading: true });
  const busy = useRef<{ stop: AbortController; again: boolean } | undefined>(undefined);
  const start = useCallback(() => {
    const mine = { stop: new AbortController(), again: false };
    busy.current = mine;
    set((was) => ({ ...was, loading: true }));
    load(mine.stop.signal).then(
      (value) => busy.current === mine && set({ value, loading: false }),
      (error: unknown) => {
        if (busy.current !== mine) return;
        refused.tell(error);
        set((was) => ({ value: was.value, error, loading: false }));
      },
    ).finally(() => {
      if (busy.current !== mine) return;
      busy.current = undefined;
      if (mine.again) start();
    });
  }, deps);
  const reload = useCallback(() => {
    if (busy.current) busy.current.again = true;
    else start();
  }, [start]);
  useEffect(() => {
    set({ loading: true });
    start();
    const off = [live.onAgain(reload)];
    if (stir) off.push(live.on((batch) => batch.some(stir) && reload()));
    return () => {
      busy.current?.stop.abort();
      busy.current = undefined;
      off.forEach((f) => f());
    };
  }, [start, reload]);
  return { value: state.value, error: state.error, loading: state.loading, reload };
}
