import { h } from "preact";
import type { Changes, Receipt } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { link } from "../route.js";
import { server } from "../server.js";
import { clock, count } from "../text.js";

/** What each cause means. */
const causes: Record<string, string> = {
  code: "the code changed",
  memory: "the memory changed",
  history: "the history changed",
  task: "the task is another",
  policy: "another profile or policy",
  budget: "another budget",
  dedup: "the conversation held it already",
  ranking: "it ranked differently",
  usage: "what was used before counted",
  fault: "something failed on the way",
};

/** Two contexts side by side: what changed from one to the other, and why. */
export function ReceiptDiff({ from, to }: { from: string; to: string }) {
  const data = useData(
    async (signal) => {
      const [changes, a, b] = await Promise.all([server.diffReceipts(from, to, { signal }), server.getReceipt(from, { signal }), server.getReceipt(to, { signal })]);
      return { changes, a, b };
    },
    [from, to],
  );
  return (
    <Shown data={data} what="the comparison">
      {({ changes, a, b }) => (
        <div>
          <p>
            <a href={link("receipts", [], { project: a.project })}>← All receipts</a> · <a href={link("receipts", [to, from])}>The other way round</a>
          </p>
          <section class="card" aria-labelledby="diff-h">
            <h2 id="diff-h">{changes.same ? "Nothing that an agent sees changed" : "What changed"}</h2>
            {changes.causes.length > 0 && (
              <ul class="causes">
                {changes.causes.map((c) => (
                  <li key={c}>
                    <strong>{c}</strong>: {causes[c] ?? c}
                  </li>
                ))}
              </ul>
            )}
            <p>
              {changes.tokens === 0 ? "As many tokens" : `${count(Math.abs(changes.tokens))} tokens ${changes.tokens > 0 ? "more" : "fewer"}`};{" "}
              {changes.prefix_changed ? "the stable beginning changed, so a provider's prompt cache misses." : "the stable beginning is the same."}
            </p>
            <Sides changes={changes} a={a} b={b} />
          </section>
          {changes.settings.length > 0 && (
            <section class="card" aria-labelledby="settings-h">
              <h2 id="settings-h">Settings</h2>
              <Table label="Settings" columns={["setting", "first", "second", "cause"]}>
                {changes.settings.map((s) => (
                  <tr>
                    <th scope="row">
                      <Text>{s.name}</Text>
                    </th>
                    <td>
                      <Text>{s.from || "–"}</Text>
                    </td>
                    <td>
                      <Text>{s.to || "–"}</Text>
                    </td>
                    <td>{s.cause}</td>
                  </tr>
                ))}
              </Table>
            </section>
          )}
          <section class="card" aria-labelledby="sections-h">
            <h2 id="sections-h">Sections</h2>
            <Table label="Tokens of the sections" columns={["section", "tokens in the first", "tokens in the second"]}>
              {changes.sections.map((s) => (
                <tr>
                  <th scope="row">
                    <Text>{s.name}</Text>
                  </th>
                  <td>{count(s.from_tokens)}</td>
                  <td>{count(s.to_tokens)}</td>
                </tr>
              ))}
            </Table>
          </section>
        </div>
      )}
    </Shown>
  );
}

/** Each piece that changed: what it was in the first, what it is in the second, and why. */
function Sides({ changes, a, b }: { changes: Changes; a: Receipt; b: Receipt }) {
  const head = (r: Receipt) => (
    <span>
      <a href={link("receipts", [r.id])}>{clock(r.at)}</a>
      <br />
      <Text>{r.query || r.task_id || r.id}</Text>
      <br />
      {count(r.tokens)} tokens
    </span>
  );
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Pieces side by side">
      <table class="sides">
        <thead>
          <tr>
            <th scope="col">piece</th>
            <th scope="col">{head(a)}</th>
            <th scope="col">{head(b)}</th>
            <th scope="col">cause</th>
          </tr>
        </thead>
        <tbody>
          {changes.items.map((i) => (
            <tr key={i.id}>
              <th scope="row" class="source">
                <Text>{i.source}</Text>
              </th>
              <td class={i.from && i.from !== "dropped" ? "gone" : ""}>{i.from || "not considered"}</td>
              <td class={i.to && i.to !== "dropped" ? "come" : ""}>{i.to || "not considered"}</td>
              <td>
                <strong>{i.cause}</strong> <Text>{i.why}</Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
