import { h, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The rows that stand in a window of a list, with a few around it. */
export function windowOf(scrolled: number, height: number, row: number, total: number, around = 6): [number, number] {
  const first = Math.max(0, Math.min(total, Math.floor(scrolled / row)) - around);
  return [first, Math.max(first, Math.min(total, Math.ceil((scrolled + height) / row) + around))];
}

interface Props<T> {
  items: T[];
  label: string;
  columns: string[];
  row: (item: T) => ComponentChildren[]; // one cell a column
  id: (item: T) => string;
  rowHeight?: number; // px, the same for all
  chosen?: string;
}

const least = 440; // px that are drawn though fewer are in sight: a short list may grow

/** A table of any length, of which only the rows in sight are drawn. */
export function Rows<T>({ items, label, columns, row, id, rowHeight = 44, chosen }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [at, set] = useState({ top: 0, height: least });
  useEffect(() => {
    const el = box.current!;
    let due = 0;
    const look = () => {
      due ||= requestAnimationFrame(() => {
        due = 0;
        set({ top: el.scrollTop, height: Math.min(Math.max(el.clientHeight, least), 4000) });
      });
    };
    look();
    el.addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      cancelAnimationFrame(due);
      el.removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  const [first, end] = windowOf(at.top, at.height, rowHeight, items.length);
  return (
    <div class="rows" role="table" aria-label={label} aria-rowcount={items.length + 1} tabIndex={0} ref={box}>
      <div role="rowgroup" class="head">
        <div role="row" aria-rowindex={1} class="row">
          {columns.map((c) => (
            <span role="columnheader">{c}</span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="body" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(first, end).map((item, i) => (
          <div
            role="row"
            class={id(item) === chosen ? "row chosen" : "row"}
            aria-rowindex={first + i + 2}
            key={id(item)}
            style={{ top: `${(first + i) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(item).map((cell) => (
              <span role="cell">{cell}</span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
