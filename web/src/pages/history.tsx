import { h } from "preact";
import type { Task } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { tell } from "../parts/toast.js";
import type { Route } from "../route.js";
import { server, told } from "../server.js";
import { ago, clock, plain } from "../text.js";
import { OutcomeTables } from "./outcomes.js";
import { PrecisionTable } from "./precision.js";
import { OfProject } from "./project.js";

/** Page 5: what was done, what is blocked, and how tasks ended by what their contexts looked like. */
export function History({ route }: { route: Route }) {
  return (
    <OfProject route={route}>
      {(project) => (
        <div key={project}>
          <Blockers project={project} />
          <Tasks project={project} />
          <OutcomeTables project={project} />
          <PrecisionTable project={project} />
        </div>
      )}
    </OfProject>
  );
}

const ended = (t: Task) => (t.success === undefined ? "? unknown" : t.success ? "✓ succeeded" : "✗ failed");

function Tasks({ project }: { project: string }) {
  const data = useData((signal) => server.listTasks(project, {}, { signal }), [project], (e) => e.type === "task_completed" && e.project === project);
  const toggle = async (t: Task) => {
    const on = !t.requires_context;
    const set = (to: boolean) =>
      server
        .patchTask(project, t.task_id, { requires_context: to })
        .catch((e) => tell(`Not changed. ${told(e).what}`, { bad: true }))
        .finally(data.reload);
    await set(on);
    tell(on ? `${t.task_id} is shown in contexts.` : `${t.task_id} is left out of contexts.`, { undo: () => void set(!on) });
  };
  return (
    <section class="card" aria-labelledby="tasks-h">
      <h2 id="tasks-h">Completed tasks</h2>
      <Shown
        data={data}
        what="tasks"
        empty={(v) =>
          v.tasks.length === 0 && (
            <Notice kind="empty" title="No task was completed yet.">
              <code>retriever history complete TASK --intent "…" --success</code> or <code>POST /v1/projects/{"{id}"}/tasks</code> records one.
            </Notice>
          )
        }
      >
        {(v) => (
          <Table label="Completed tasks" columns={["task", "type", "completed", "ended", "in contexts", "what was done"]}>
            {v.tasks.map((t) => (
              <tr key={t.task_id}>
                <th scope="row">
                  <Text>{t.task_id}</Text>
                </th>
                <td>
                  <Text>{t.task_type || "–"}</Text>
                </td>
                <td title={clock(t.completed_at)}>{ago(t.completed_at)}</td>
                <td>{ended(t)}</td>
                <td>
                  <label class="check">
                    <input type="checkbox" checked={t.requires_context ?? false} aria-label={`Show ${plain(t.task_id)} in contexts`} onChange={() => void toggle(t)} />
                    {t.requires_context ? "shown" : "left out"}
                  </label>
                </td>
                <td>{t.requires_context ? <Text>{t.summary || t.intent || "–"}</Text> : <em>kept back</em>}</td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}

function Blockers({ project }: { project: string }) {
  const data = useData((signal) => server.listBlockers(project, { signal }), [project], (e) => e.type === "blocker_changed" && e.project === project);
  const unblock = async (id: string, b: { id: string; reason?: string; blocked_at?: string }) => {
    try {
      await server.unblock(project, id);
      tell(`${id} can go on.`, { undo: () => void server.block(project, b).then(data.reload, (e) => tell(`Not undone. ${told(e).what}`, { bad: true })) });
    } catch (e) {
      tell(`Still blocked. ${told(e).what}`, { bad: true });
    }
    data.reload();
  };
  return (
    <section class="card" aria-labelledby="blockers-h">
      <h2 id="blockers-h">Blockers</h2>
      <Shown data={data} what="blockers" empty={(v) => v.blockers.length === 0 && <p class="hint">No task is blocked.</p>}>
        {(v) => (
          <ul class="plainlist">
            {v.blockers.map((b) => (
              <li key={b.id}>
                <span>
                  ▲ blocked:{" "}
                  <strong>
                    <Text>{b.id}</Text>
                  </strong>
                  , <Text>{b.reason || "no reason given"}</Text> <span class="hint">({ago(b.blocked_at)})</span>
                </span>
                <button type="button" aria-label={`Unblock ${plain(b.id)}`} onClick={() => void unblock(b.id, b)}>
                  Unblock
                </button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
