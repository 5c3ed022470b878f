import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { MemoryItem } from "../../../clients/ts/contextd.js";
import { Text } from "../parts/text.js";
import { clock } from "../text.js";
import { citation } from "./itemlist.js";

/** The importances that put an item into each tier. */
export const moves = [
  { text: "Pin to HOT", to: 0.9 },
  { text: "Move to WARM", to: 0.6 },
  { text: "Move to COLD", to: 0.1 },
];

/** One item whole, with what can be done about it. */
export function ItemView({ item, onMove, onClose }: { item: MemoryItem; onMove: (to: number | null) => void; onClose: () => void }) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), [item.id]); // it stands below the list that it was chosen from
  return (
    <section class="card itemview" aria-labelledby="item-h">
      <div class="bar">
        <h3 id="item-h" tabIndex={-1} ref={head}>
          <span class={`tier ${item.tier}`}>{item.tier}</span> <Text>{item.kind}</Text>
        </h3>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <pre class="whole" tabIndex={0} aria-label="Text of the item">
        <Text>{item.content}</Text>
      </pre>
      <dl class="facts">
        <dt>importance</dt>
        <dd>
          {item.importance.toFixed(2)}, {item.pinned !== undefined ? "pinned: it does not fade" : "fades by kind and age"}
        </dd>
        <dt>written</dt>
        <dd>
          {clock(item.created_at)} by <Text>{item.agent_id}</Text>
        </dd>
        <dt>last used</dt>
        <dd>
          {clock(item.last_accessed)}, {item.access_count} uses
        </dd>
        <dt>scope</dt>
        <dd>
          <Text>{item.scope + (item.task_id ? `, task ${item.task_id}` : "") + (item.project ? `, project ${item.project}` : "")}</Text>
        </dd>
        {item.tags?.length ? <dt>tags</dt> : null}
        {item.tags?.length ? (
          <dd>
            <Text>{item.tags.join(", ")}</Text>
          </dd>
        ) : null}
        <dt>citations</dt>
        <dd>
          {citation(item)}
          {item.citations?.map((c) => (
            <code>
              {" "}
              <Text>{c.path + (c.span ? `:${c.span.start}-${c.span.end}` : "")}</Text>
            </code>
          ))}
        </dd>
      </dl>
      <div class="actions">
        {moves.map((m) => (
          <button type="button" onClick={() => onMove(m.to)}>
            {m.text}
          </button>
        ))}
        {item.pinned !== undefined && (
          <button type="button" onClick={() => onMove(null)}>
            Let it fade
          </button>
        )}
      </div>
    </section>
  );
}
