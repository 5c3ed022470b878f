import { h } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { DeadLetter } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { live } from "../live.js";
import { DepthChart } from "../parts/line.js";
import { Notice, Shown } from "../parts/notice.js";
import { Sure } from "../parts/sure.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { tell } from "../parts/toast.js";
import { server, told } from "../server.js";
import { ago, clock, count } from "../text.js";

/** What waits, who works on it, and what failed for good. */
export function Queue() {
  const moved = (e: { type: string }) => e.type === "queue_changed";
  const queue = useData((signal) => server.getQueue({ signal }), [], moved);
  const dead = useData((signal) => server.listDead({ signal }), [], moved);
  const before = useData((signal) => server.listQueueHistory({ signal }), []);
  const [, tick] = useState(0);
  useEffect(() => {
    if (queue.value) live.sample(queue.value.queue);
  }, [queue.value]);
  useEffect(() => {
    if (before.value) live.before(before.value.samples);
  }, [before.value]);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 2000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    const timer = setInterval(queue.reload, 15_000); // no event tells of a daemon that came or went
    return () => clearInterval(timer);
  }, [queue.reload]);
  const act = async (what: string, f: () => Promise<{ unknown: number }>) => {
    try {
      const { unknown } = await f();
      tell(unknown ? `${what}, ${unknown} were not there any more.` : `${what}.`);
    } catch (e) {
      tell(`Not done. ${told(e).what}`, { bad: true });
    }
    dead.reload();
    queue.reload();
  };
  return (
    <div>
      <section class="card" aria-labelledby="queue-h">
        <h2 id="queue-h">Queue</h2>
        <Shown data={queue} what="the queue">
          {(q) => (
            <div>
              <dl class="counts">
                {[
                  ["waiting", q.queue.depth],
                  ["of these delayed", q.queue.delayed],
                  ["in flight", q.queue.inflight],
                  ["dead", q.queue.dead],
                ].map(([name, n]) => (
                  <div>
                    <dt>{name}</dt>
                    <dd>{count(n as number)}</dd>
                  </div>
                ))}
                <div>
                  <dt>oldest change</dt>
                  <dd>{q.queue.oldest_age_ms ? ago(new Date(Date.now() - q.queue.oldest_age_ms).toISOString()) : "none"}</dd>
                </div>
              </dl>
              <DepthChart samples={live.samples} />
              <h3>Daemons</h3>
              {q.daemons.length === 0 ? (
                <p>
                  {q.backend === "redis" ? "▲ No daemon serves this store: what waits stays." : "No daemon: the server brings projects up to date itself, behind its answers."} Start one:{" "}
                  <code>indexer run --watch DIR</code>
                </p>
              ) : (
                <ul>
                  {q.daemons.map((d) => (
                    <li>
                      ● on <Text>{d.host || "this machine"}</Text>, may serve <Text>{d.roots.join(", ") || "nothing"}</Text>
                      {d.watched.length > 0 && (
                        <span>
                          , keeps fresh <Text>{d.watched.join(", ")}</Text>
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          )}
        </Shown>
      </section>
      <section class="card" aria-labelledby="dead-h">
        <h2 id="dead-h">Dead letters</h2>
        <Shown data={dead} what="dead letters" empty={(v) => v.dead.length === 0 && <Notice kind="empty" title="No request failed for good.">Requests that fail again and again would stand here, to be retried or dropped.</Notice>}>
          {(v) => (
            <div>
              <button type="button" onClick={() => void act("All are in the queue again", () => server.retryDead({ all: true }))}>
                Retry all {count(v.dead.length)}
              </button>
              <Letters dead={v.dead} act={act} />
            </div>
          )}
        </Shown>
      </section>
    </div>
  );
}

function Letters({ dead, act }: { dead: DeadLetter[]; act: (what: string, f: () => Promise<{ unknown: number }>) => Promise<void> }) {
  return (
    <Table label="Dead letters" columns={["project", "reason", "attempts", "when", "paths", "action"]}>
      {dead.slice(0, 500).map((l) => (
        <tr key={l.id}>
          <th scope="row">
            <Text>{l.project}</Text>
          </th>
          <td>
            <Text>{l.reason}</Text>
          </td>
          <td>{l.attempts}</td>
          <td title={clock(l.at)}>{ago(l.at)}</td>
          <td class="source">
            <Text>{l.paths.length ? l.paths.slice(0, 5).join(", ") + (l.paths.length > 5 ? ` and ${l.paths.length - 5} more` : "") : "everything"}</Text>
          </td>
          <td class="actions">
            <button type="button" aria-label={`Retry the request of ${l.project}, ${clock(l.at)}`} onClick={() => void act("In the queue again", () => server.retryDead({ ids: [l.id] }))}>
              Retry
            </button>
            <Sure label={`the request of ${l.project}, ${clock(l.at)}`} onSure={() => void act("Dropped", () => server.dropDead({ ids: [l.id] }))}>
              Drop
            </Sure>
          </td>
        </tr>
      ))}
    </Table>
  );
}
