import { Fragment, h } from "preact";
import { useState } from "preact/hooks";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Sure } from "../parts/sure.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { tell } from "../parts/toast.js";
import { server, told } from "../server.js";
import { ago, brief, clock, count } from "../text.js";

/** The checkpoints of an agent: listed, looked at, restored. */
export function Checkpoints({ agent, project, onRestored }: { agent: string; project: string; onRestored: () => void }) {
  const list = useData((signal) => server.listCheckpoints(agent, { signal }), [agent], (e) => e.type === "memory_changed");
  const [open, setOpen] = useState("");
  const restore = async (id: string) => {
    try {
      const back = await server.restoreContext(agent, { checkpoint_id: id, project: project || undefined });
      const gone = back.missing.length ? ` ${count(back.missing.length)} were forgotten since.` : "";
      tell(`Restored: ${count(back.revived)} items came back, ${count(back.items.length)} are HOT.${gone}`);
      onRestored();
    } catch (e) {
      tell(`Not restored. ${told(e).what}`, { bad: true });
    }
  };
  return (
    <section class="card" aria-labelledby="checkpoints-h">
      <h2 id="checkpoints-h">Checkpoints</h2>
      <Shown
        data={list}
        what="checkpoints"
        empty={(v) =>
          v.checkpoints.length === 0 && (
            <Notice kind="empty" title="No checkpoints yet.">
              A flash save makes one: when a context's reply says flash_save, call <code>POST …/context/flash-save</code>.
            </Notice>
          )
        }
      >
        {(v) => (
          <Table label="Checkpoints" columns={["made", "task", "HOT", "WARM", "window", "action"]}>
            {v.checkpoints.map((c) => (
              <tr key={c.checkpoint_id}>
                <td title={clock(c.created_at)}>{ago(c.created_at)}</td>
                <td>
                  <Text>{c.task_id || "–"}</Text>
                </td>
                <td>{count(c.hot_items)}</td>
                <td>{count(c.warm_items)}</td>
                <td>{c.tokens_used ? `${count(c.tokens_used)} tokens` : "–"}</td>
                <td class="actions">
                  <button type="button" aria-expanded={open === c.checkpoint_id} aria-label={`Look at the checkpoint of ${clock(c.created_at)}`} onClick={() => setOpen(open === c.checkpoint_id ? "" : c.checkpoint_id)}>
                    Look
                  </button>
                  <Sure label={`the checkpoint of ${clock(c.created_at)}`} onSure={() => void restore(c.checkpoint_id)}>
                    Restore
                  </Sure>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
      {open && <Snapshot agent={agent} id={open} />}
    </section>
  );
}

function Snapshot({ agent, id }: { agent: string; id: string }) {
  const data = useData((signal) => server.getCheckpoint(agent, id, { signal }), [agent, id]);
  return (
    <Shown data={data} what="the checkpoint">
      {(c) => (
        <Table
          label="Items of the checkpoint"
          caption={
            <>
              What was HOT and WARM at <Text>{c.checkpoint_id}</Text>, with what it says now
            </>
          }
          columns={["tier", "kind", "importance", "text"]}
        >
          {(c.items ?? []).slice(0, 500).map((it) => (
            <tr key={it.id}>
              <td>
                <span class={`tier ${it.tier}`}>{it.tier}</span>
              </td>
              <td>
                <Text>{(it.item_type ?? "").toLowerCase() || "–"}</Text>
              </td>
              <td>{it.importance.toFixed(2)}</td>
              <td>{it.content === undefined ? <em>forgotten since</em> : <Text>{brief(it.content, 200)}</Text>}</td>
            </tr>
          ))}
        </Table>
      )}
    </Shown>
  );
}
