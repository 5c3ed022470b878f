import { Fragment, h } from "preact";
import type { Receipt, ReceiptLine } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { BudgetBar, Meter } from "../parts/meter.js";
import { Shown } from "../parts/notice.js";
import { Reasons } from "../parts/reasons.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { link } from "../route.js";
import { server } from "../server.js";
import { clock, count, percent } from "../text.js";
import { PromptCard } from "./prompt.js";

/** What a decision means, in words. */
const decisions: Record<string, string> = { text: "whole", compressed: "shortened", pointer: "pointer only", dropped: "dropped" };

/** What became of a piece once the agent answered. */
export function fate(r: Receipt, id: string): string {
  const o = r.outcome;
  if (!o) return "not reported";
  if (o.used.includes(id)) return "✓ used";
  if (o.refetched.includes(id)) return "↻ opened again";
  return o.dead.includes(id) ? "✗ not used" : "–";
}

/** One receipt: the context as it was compiled, and why. */
export function ReceiptView({ id }: { id: string }) {
  const data = useData((signal) => server.getReceipt(id, { signal }), [id]);
  return (
    <Shown data={data} what="the receipt">
      {(r) => {
        const kept = r.items.filter((i) => i.decision !== "dropped");
        const dropped = r.items.filter((i) => i.decision === "dropped");
        const sections = r.sections.reduce((n, s) => n + s.tokens, 0);
        const parts = [...r.sections, ...(r.tokens > sections ? [{ name: "frame", source: "system prompt, headings", tokens: r.tokens - sections }] : [])];
        return (
          <div>
            <p>
              <a href={link("receipts", [], { project: r.project })}>← All receipts</a>
            </p>
            <section class="card" aria-labelledby="receipt-h">
              <h2 id="receipt-h">
                <Text>{r.query || r.task_id || r.id}</Text>
              </h2>
              <dl class="facts">
                <dt>compiled</dt>
                <dd>{clock(r.at)}</dd>
                <dt>for</dt>
                <dd>
                  <Text>{`${r.agent || "no agent"} (${r.agent_kind}), profile ${r.profile}, frame ${r.frame}${r.mode ? `, mode ${r.mode}` : ""}`}</Text>
                </dd>
                <dt>task</dt>
                <dd>
                  <Text>{r.task_id || "none"}</Text>
                </dd>
                <dt>index</dt>
                <dd>generation {r.generation}</dd>
                <dt>status</dt>
                <dd>{r.status}</dd>
                <dt>fingerprint</dt>
                <dd>
                  <code>{r.fingerprint?.id}</code>
                </dd>
              </dl>
              <Reasons list={r.reasons} />
              <h3>Budget</h3>
              <BudgetBar id="budget" budget={r.budget_tokens} parts={parts} />
              <Table
                label="Sections"
                caption={
                  <>
                    Sections in their order, and the frame: {count(r.tokens)} of {count(r.budget_tokens)} tokens
                  </>
                }
                columns={["section", "source", "tokens", "share"]}
              >
                {parts.map((s) => (
                  <tr>
                    <th scope="row">
                      <Text>{s.name}</Text>
                    </th>
                    <td>
                      <Text>{s.source}</Text>
                    </td>
                    <td>{count(s.tokens)}</td>
                    <td>{percent(s.tokens / Math.max(1, r.tokens))}</td>
                  </tr>
                ))}
              </Table>
            </section>
            <PromptCard id={r.id} key={r.id} />
            <Lines title="In the context, in its order" r={r} lines={kept} />
            <Lines title="Dropped, the best first" r={r} lines={dropped} more={r.omitted} />
            <section class="card" aria-labelledby="after-h">
              <h2 id="after-h">Afterwards</h2>
              {r.outcome ? (
                <div>
                  <p>
                    {percent(r.outcome.precision)} of the pieces were used or opened: {r.outcome.used.length} used, {r.outcome.refetched.length} opened again, {r.outcome.dead.length} not used.
                  </p>
                  {r.outcome.missed.length > 0 && (
                    <p>
                      The agent had to find for itself: <Text>{r.outcome.missed.join(", ")}</Text>
                    </p>
                  )}
                </div>
              ) : (
                <p class="hint">
                  Nothing was reported. <code>POST /v1/context/{"{id}"}/feedback</code> tells it.
                </p>
              )}
            </section>
          </div>
        );
      }}
    </Shown>
  );
}

function Lines({ title, r, lines, more = 0 }: { title: string; r: Receipt; lines: ReceiptLine[]; more?: number }) {
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title} ({count(lines.length + more)})
      </h2>
      {lines.length === 0 ? (
        <p class="hint">None.</p>
      ) : (
        <Table label={title} columns={["source", "kind", "section", "as", "relevance", "score", "tokens", "why", "afterwards"]}>
          {lines.map((i) => (
            <tr key={i.id}>
              <td class="source">
                <Text>{i.source}</Text>
                {i.verify && <em> ⚠ cites what changed</em>}
              </td>
              <td>
                <Text>{i.kind}</Text>
              </td>
              <td>
                <Text>{i.section}</Text>
              </td>
              <td>{decisions[i.decision] ?? i.decision}</td>
              <td>
                <Meter value={i.relevance} />
              </td>
              <td>{i.score.toFixed(2)}</td>
              <td>{count(i.tokens)}</td>
              <td>
                <Text>{i.reason || (i.decision === "text" ? "kept whole" : "–")}</Text>
                {i.needed_budget ? ` A budget of ${count(i.needed_budget)} tokens would have kept more of it.` : ""}
              </td>
              <td>{i.decision === "dropped" ? "–" : fate(r, i.id)}</td>
            </tr>
          ))}
        </Table>
      )}
      {more > 0 && <p class="hint">{count(more)} more have no line.</p>}
    </section>
  );
}
