import { h } from "preact";
import type { Succeeds } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Meter } from "../parts/meter.js";
import { Notice, Shown } from "../parts/notice.js";
import { Text } from "../parts/text.js";
import { server } from "../server.js";
import { percent } from "../text.js";

const rate = (s: Succeeds) => (s.succeeded + s.failed === 0 ? "–" : <Meter value={s.success_rate} label={`${percent(s.success_rate)} of ${s.succeeded + s.failed}`} />);

/** How tasks ended, by who worked on them and by the shape of their contexts. */
export function OutcomeTables({ project }: { project: string }) {
  const data = useData((signal) => server.listOutcomes(project, { signal }), [project], (e) => e.type === "task_completed" && e.project === project);
  return (
    <section class="card" aria-labelledby="outcomes-h">
      <h2 id="outcomes-h">Outcomes by context</h2>
      <Shown
        data={data}
        what="outcomes"
        empty={(v) =>
          v.tasks.length === 0 && (
            <Notice kind="empty" title="No completed task had a context yet.">
              Give contexts the id of their task (<code>task.id</code>), and record the task with <code>success</code>.
            </Notice>
          )
        }
      >
        {(v) => (
          <div>
            <div class="scroll" tabIndex={0} role="group" aria-label="By agent and profile">
              <table>
                <caption>By kind of agent and profile</caption>
                <thead>
                  <tr>
                    <th scope="col">agent</th>
                    <th scope="col">profile</th>
                    <th scope="col">contexts</th>
                    <th scope="col">tasks</th>
                    <th scope="col">succeeded</th>
                    <th scope="col">failed</th>
                    <th scope="col">unknown</th>
                    <th scope="col">success</th>
                  </tr>
                </thead>
                <tbody>
                  {v.agents.map((a) => (
                    <tr>
                      <th scope="row">
                        <Text>{a.agent_kind}</Text>
                      </th>
                      <td>
                        <Text>{a.profile}</Text>
                      </td>
                      <td>{a.contexts}</td>
                      <td>{a.tasks}</td>
                      <td>{a.succeeded}</td>
                      <td>{a.failed}</td>
                      <td>{a.unknown}</td>
                      <td>{rate(a)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <div class="scroll" tabIndex={0} role="group" aria-label="By shape of the context">
              <table>
                <caption>By shape of the context, the most tasks first</caption>
                <thead>
                  <tr>
                    <th scope="col">agent</th>
                    <th scope="col">mode</th>
                    <th scope="col">complexity</th>
                    <th scope="col">kinds of pieces</th>
                    <th scope="col">shortened</th>
                    <th scope="col">tasks</th>
                    <th scope="col">success</th>
                  </tr>
                </thead>
                <tbody>
                  {v.shapes.map((s) => (
                    <tr>
                      <th scope="row">
                        <Text>{s.agent_kind}</Text>
                      </th>
                      <td>{s.mode || "–"}</td>
                      <td>{s.complexity}</td>
                      <td>
                        <Text>{s.kinds.join(", ") || "none"}</Text>
                      </td>
                      <td>{s.compressed ? "yes" : "no"}</td>
                      <td>{s.tasks}</td>
                      <td>{rate(s)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </div>
        )}
      </Shown>
    </section>
  );
}
