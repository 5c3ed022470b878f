import { h } from "preact";
import type { Succeeds } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Meter } from "../parts/meter.js";
import { Notice, Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
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
            <Table label="By agent and profile" caption="By kind of agent and profile" columns={["agent", "profile", "contexts", "tasks", "succeeded", "failed", "unknown", "success"]}>
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
            </Table>
            <Table label="By shape of the context" caption="By shape of the context, the most tasks first" columns={["agent", "mode", "complexity", "kinds of pieces", "shortened", "tasks", "success"]}>
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
            </Table>
          </div>
        )}
      </Shown>
    </section>
  );
}
