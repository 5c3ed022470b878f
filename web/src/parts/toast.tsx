import { h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Text } from "./text.js";

/** What was done, and how to undo it. */
export interface Told {
  id: number;
  text: string;
  undo?: () => void;
  bad?: boolean;
}

const shownFor = 10_000; // ms
let last = 0;
let all: Told[] = [];
let changed = () => {};

/** Tells what was done. What can be undone stays for 10 s; the function returned takes it away. */
export function tell(text: string, more: { undo?: () => void; bad?: boolean } = {}): () => void {
  const t = { id: ++last, text, ...more };
  all = [...all.slice(-3), t];
  changed();
  const away = () => {
    all = all.filter((o) => o.id !== t.id);
    changed();
  };
  setTimeout(away, shownFor);
  return away;
}

export function Toasts() {
  const [, draw] = useState(0);
  useEffect(() => {
    changed = () => draw((n) => n + 1);
    return () => {
      changed = () => {};
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map((t) => (
        <div class={t.bad ? "toast bad" : "toast"} key={t.id}>
          <span>
            <Text>{t.text}</Text>
          </span>
          {t.undo && (
            <button
              type="button"
              onClick={() => {
                all = all.filter((o) => o.id !== t.id);
                changed();
                t.undo!();
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
