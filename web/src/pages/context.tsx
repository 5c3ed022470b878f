import { h } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { MemoryItem, Tier } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Pick } from "../parts/pick.js";
import { tell } from "../parts/toast.js";
import { go, link, type Route } from "../route.js";
import { server, told } from "../server.js";
import { count } from "../text.js";
import { forget, going, move } from "./actions.js";
import { Checkpoints } from "./checkpoints.js";
import { ContextItemList } from "./itemlist.js";
import { ItemView } from "./itemview.js";
import { ContextTierChart, tiers } from "./tierchart.js";

const most = 10_000;

/** The items that pass the filters, without those that are about to be forgotten. */
export function passing(items: MemoryItem[], f: { tiers: Tier[]; kind: string; text: string }): MemoryItem[] {
  const text = f.text.trim().toLowerCase();
  return items.filter((it) => f.tiers.includes(it.tier) && (!f.kind || it.kind === f.kind) && (!text || it.content.toLowerCase().includes(text)) && !going.has(it.id));
}

/** Page 1: what an agent remembers. */
export function ContextPanel({ route }: { route: Route }) {
  const agents = useData((signal) => server.listAgents({ signal }), [], (e) => e.type === "memory_changed");
  const projects = useData((signal) => server.listProjects({ signal }), [], (e) => e.type === "index_changed");
  const agent = route.query.get("agent") || agents.value?.agents[0] || "";
  const project = route.query.get("project") ?? projects.value?.projects[0]?.project ?? "";
  const at = (q: Record<string, string>) => go("#/context?" + new URLSearchParams({ agent, project, ...q }).toString());
  return (
    <div>
      <div class="filters">
        <Pick label="Agent" value={agent} options={(agents.value?.agents ?? []).map((a) => ({ value: a, text: a }))} onPick={(a) => at({ agent: a })} />
        <Pick
          label="Project"
          value={project}
          options={[{ value: "", text: "no project" }, ...(projects.value?.projects ?? []).map((p) => ({ value: p.project, text: p.project }))]}
          onPick={(p) => at({ project: p })}
        />
      </div>
      <Shown
        data={agents}
        what="agents"
        empty={(v) =>
          v.agents.length === 0 &&
          !route.query.get("agent") && (
            <Notice kind="empty" title="No agent remembers anything yet.">
              Save something: <code>retriever memory save "Tokens are signed with ES256" --agent knight-1 --kind decision</code>, or <code>POST /api/agents/knight-1/context/save</code>.
            </Notice>
          )
        }
      >
        {() => projects.value === undefined && projects.error === undefined ? <Notice kind="loading" title="Loading projects …" /> : <Memory key={`${agent}\n${project}`} agent={agent} project={project} />}
      </Shown>
    </div>
  );
}

function Memory({ agent, project }: { agent: string; project: string }) {
  const query = { project: project || undefined };
  const mine = (e: { type: string }) => e.type === "memory_changed";
  const stats = useData((signal) => server.contextStats(agent, query, { signal }), [], mine);
  const items = useData((signal) => server.listMemory(agent, { ...query, limit: most }, { signal }), [], mine);
  const [shown, setShown] = useState<Tier[]>(tiers);
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const [open, setOpen] = useState("");
  const [, draw] = useState(0);
  const changed = () => {
    draw((n) => n + 1);
    items.reload();
    stats.reload();
  };
  const kinds = useMemo(() => [...new Set((items.value?.items ?? []).map((it) => it.kind))].sort(), [items.value]);
  const retier = async () => {
    try {
      const { changed: n } = await server.retier(agent, query);
      tell(n === 1 ? "1 item changed its importance." : `${n} items changed their importance.`);
      changed();
    } catch (e) {
      tell(`Not re-tiered. ${told(e).what}`, { bad: true });
    }
  };
  return (
    <div>
      <section class="card" aria-labelledby="tiers-h">
        <div class="bar">
          <h2 id="tiers-h">Tiers</h2>
          <button type="button" onClick={() => void retier()}>
            Re-tier now
          </button>
        </div>
        <Shown data={stats} what="tiers">
          {(s) => <ContextTierChart stats={s} />}
        </Shown>
      </section>
      <section class="card" aria-labelledby="items-h">
        <h2 id="items-h">Items</h2>
        <div class="filters">
          <fieldset>
            <legend>Tiers</legend>
            {tiers.map((t) => (
              <label class="check">
                <input type="checkbox" checked={shown.includes(t)} onChange={(e) => setShown(e.currentTarget.checked ? [...shown, t] : shown.filter((o) => o !== t))} />
                {t}
              </label>
            ))}
          </fieldset>
          <Pick label="Kind" value={kind} options={[{ value: "", text: "all kinds" }, ...kinds.map((k) => ({ value: k, text: k }))]} onPick={setKind} />
          <label class="field grow">
            <span>Text</span>
            <input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} />
          </label>
        </div>
        <Shown data={items} what="items">
          {(v) => {
            const list = passing(v.items, { tiers: shown, kind, text });
            const item = v.items.find((it) => it.id === open);
            return (
              <div>
                <p class="hint" role="status">
                  {count(list.length)} of {count(v.items.length)} items
                  {v.items.length === most ? ` (the ${count(most)} most important; narrow them down with retriever memory list)` : ""}
                </p>
                {list.length === 0 ? (
                  <Notice kind="empty" title={v.items.length ? "No item passes the filters." : `${agent} remembers nothing here.`}>
                    {v.items.length ? "Choose more tiers, all kinds, or another text." : "Choose another project, or save something."}
                  </Notice>
                ) : (
                  <ContextItemList items={list} chosen={open} onOpen={(it) => setOpen(it.id === open ? "" : it.id)} onForget={(it) => forget(agent, project, it, changed)} />
                )}
                {item && !going.has(item.id) && (
                  <ItemView item={item} onMove={(to) => void move(agent, project, item, to).then(changed)} onClose={() => setOpen("")} />
                )}
              </div>
            );
          }}
        </Shown>
      </section>
      <Checkpoints agent={agent} project={project} onRestored={changed} />
      <p class="hint">
        What the contexts of this agent were made of: <a href={link("receipts", [], { project })}>receipts</a>.
      </p>
    </div>
  );
}
