import { h } from "preact";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { link, type Route } from "../route.js";
import { server } from "../server.js";
import { ago, clock, count, percent } from "../text.js";
import { OfProject } from "./project.js";

/** Page 6: tokens given against reading the same files whole, with how it is counted. */
export function Savings({ route }: { route: Route }) {
  return <OfProject route={route}>{(project) => <Sums project={project} key={project} />}</OfProject>;
}

function Sums({ project }: { project: string }) {
  const data = useData((signal) => server.getSavings(project, {}, { signal }), [project], (e) => e.type === "context_assembled" && e.project === project);
  return (
    <Shown
      data={data}
      what="savings"
      empty={(v) =>
        v.contexts.length === 0 && (
          <Notice kind="empty" title="No context with code was compiled for this project yet.">
            Compile one: <code>retriever context --task "…"</code> or <code>POST /v1/context</code>.
          </Notice>
        )
      }
    >
      {(v) => {
        const saved = v.whole_tokens - v.given_tokens;
        return (
          <section class="card" aria-labelledby="savings-h">
            <h2 id="savings-h">The last {count(v.contexts.length)} contexts with code</h2>
            <dl class="counts">
              <div>
                <dt>tokens of code given</dt>
                <dd>{count(v.given_tokens)}</dd>
              </div>
              <div>
                <dt>the same files whole</dt>
                <dd>{count(v.whole_tokens)}</dd>
              </div>
              <div>
                <dt>{saved >= 0 ? "less" : "more"}</dt>
                <dd>
                  {count(Math.abs(saved))}
                  {v.whole_tokens > 0 ? ` (${percent(Math.abs(saved) / v.whole_tokens)})` : ""}
                </dd>
              </div>
            </dl>
            <p>
              How it is counted: for each context, the tokens of its pieces of code, against the tokens of each file that they are from, read once, whole, as it is on disk now. Files that are gone or left out now count on
              neither side. It is an upper bound of what is saved: an agent may read only a part of a file, and it may read a file whole in spite of the context. What the memory, the history and the search itself cost is not in it.
            </p>
            <Table label="By context" columns={["when", "context", "files", "given", "whole", "not counted"]}>
              {v.contexts.map((c) => (
                <tr key={c.id}>
                  <td title={clock(c.at)}>{ago(c.at)}</td>
                  <td>
                    <a href={link("receipts", [c.id])}>
                      <Text>{c.id}</Text>
                    </a>
                  </td>
                  <td>{count(c.files)}</td>
                  <td>{count(c.given_tokens)}</td>
                  <td>{count(c.whole_tokens)}</td>
                  <td>{c.missing_files ? `${count(c.missing_files)} files` : "–"}</td>
                </tr>
              ))}
            </Table>
          </section>
        );
      }}
    </Shown>
  );
}
