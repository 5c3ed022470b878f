import { h } from "preact";
import { useState } from "preact/hooks";
import { useData } from "../data.js";
import { Meter } from "../parts/meter.js";
import { Notice, Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { go, link, type Route } from "../route.js";
import { server } from "../server.js";
import { ago, brief, clock, count, plain } from "../text.js";
import { OfProject } from "./project.js";
import { ReceiptView } from "./receipt.js";
import { ReceiptDiff } from "./receiptdiff.js";

/** Page 2: what contexts were made of. #/receipts, #/receipts/ID, #/receipts/ID/OTHER */
export function Receipts({ route }: { route: Route }) {
  const [id, other] = route.parts;
  if (other) return <ReceiptDiff from={id} to={other} />;
  if (id) return <ReceiptView id={id} />;
  return <OfProject route={route}>{(project) => <List project={project} key={project} />}</OfProject>;
}

function List({ project }: { project: string }) {
  const [limit, setLimit] = useState(50);
  const data = useData((signal) => server.listReceipts({ project, limit }, { signal }), [project, limit], (e) => e.type === "context_assembled" && e.project === project);
  const [two, choose] = useState<string[]>([]);
  return (
    <Shown
      data={data}
      what="receipts"
      empty={(v) =>
        v.receipts.length === 0 && (
          <Notice kind="empty" title="No context was compiled for this project yet.">
            <code>POST /v1/context</code> or <code>retriever context</code> compiles one; each leaves a receipt.
          </Notice>
        )
      }
    >
      {(v) => (
        <section class="card" aria-labelledby="receipts-h">
          <div class="bar">
            <h2 id="receipts-h">Last contexts</h2>
            <button type="button" disabled={two.length !== 2} onClick={() => go(link("receipts", [two[0], two[1]]))}>
              Compare two
            </button>
          </div>
          <p class="hint" role="status">
            {count(v.receipts.length)} receipts, the newest first. Choose two to compare ({two.length} chosen).
          </p>
          <Table label="Receipts" columns={["compare", "when", "for", "agent", "profile", "tokens", "kept", "dropped", "status"]}>
            {v.receipts.map((r) => {
              const dropped = r.items.filter((i) => i.decision === "dropped").length;
              const what = brief(r.query || r.task_id || r.id, 80);
              return (
                <tr key={r.id}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare: ${plain(what)}, ${clock(r.at)}`}
                      checked={two.includes(r.id)}
                      onChange={(e) => choose(e.currentTarget.checked ? [...two, r.id].slice(-2) : two.filter((o) => o !== r.id))}
                    />
                  </td>
                  <td title={clock(r.at)}>{ago(r.at)}</td>
                  <td>
                    <a href={link("receipts", [r.id])}>
                      <Text>{what}</Text>
                    </a>
                  </td>
                  <td>
                    <Text>{r.agent || r.agent_kind}</Text>
                  </td>
                  <td>
                    <Text>{r.profile}</Text>
                  </td>
                  <td>
                    <Meter value={r.budget_tokens ? r.tokens / r.budget_tokens : 0} label={`${count(r.tokens)} of ${count(r.budget_tokens)}`} />
                  </td>
                  <td>{count(r.items.length - dropped)}</td>
                  <td>{count(dropped + r.omitted)}</td>
                  <td>{r.status + (r.reasons.length ? `: ${r.reasons.join(", ")}` : "")}</td>
                </tr>
              );
            })}
          </Table>
          {v.receipts.length === limit && limit < 500 && (
            <button type="button" onClick={() => setLimit(500)}>
              Show up to 500
            </button>
          )}
        </section>
      )}
    </Shown>
  );
}
