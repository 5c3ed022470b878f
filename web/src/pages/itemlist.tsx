import { h } from "preact";
import type { MemoryItem } from "../../../clients/ts/contextd.js";
import { Meter } from "../parts/meter.js";
import { Rows } from "../parts/rows.js";
import { Text } from "../parts/text.js";
import { ago, brief, plain } from "../text.js";

/** Whether what an item cites still stands as it did. */
export function citation(it: MemoryItem): string {
  if (!it.citations?.length) return "cites nothing";
  return it.verify ? "⚠ changed since" : "✓ verified";
}

interface Props {
  items: MemoryItem[];
  chosen?: string;
  onOpen: (it: MemoryItem) => void;
  onForget: (it: MemoryItem) => void;
}

/** What an agent remembers, the most important first. */
export function ContextItemList({ items, chosen, onOpen, onForget }: Props) {
  return (
    <Rows
      items={items}
      label="Remembered items"
      columns={["tier", "kind", "text", "importance", "used", "uses", "citations", "action"]}
      id={(it) => it.id}
      chosen={chosen}
      row={(it) => [
        <span class={`tier ${it.tier}`}>{it.tier}</span>,
        <Text>{it.kind}</Text>,
        <button type="button" class="link" aria-expanded={it.id === chosen} onClick={() => onOpen(it)}>
          <Text>{brief(it.content)}</Text>
        </button>,
        <Meter value={it.importance} label={it.importance.toFixed(2) + (it.pinned !== undefined ? " pinned" : "")} />,
        ago(it.last_accessed),
        String(it.access_count),
        citation(it) + (it.archived ? ", put away" : ""),
        <button type="button" class="danger" aria-label={`Forget: ${plain(brief(it.content, 60))}`} onClick={() => onForget(it)}>
          Forget
        </button>,
      ]}
    />
  );
}
