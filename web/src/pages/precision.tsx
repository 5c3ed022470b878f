import { Fragment, h } from "preact";
import type { Receipt } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Meter } from "../parts/meter.js";
import { Notice, Shown } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { server } from "../server.js";
import { count, percent } from "../text.js";

const looked = 40; // the last contexts that are looked at, each by a request of its own

/** What the contexts of a profile were worth, in the older and in the newer half of those that were reported on. */
export interface Precision {
  profile: string;
  reported: number;
  older: number;
  newer: number;
}

/** The precision by profile, from receipts with the newest first. */
export function precisions(receipts: Pick<Receipt, "profile" | "outcome">[]): Precision[] {
  const of = new Map<string, number[]>();
  for (const r of receipts) if (r.outcome) of.set(r.profile, [...(of.get(r.profile) ?? []), r.outcome.precision]);
  const mean = (list: number[]) => list.reduce((n, p) => n + p, 0) / list.length;
  return [...of].map(([profile, list]) => {
    const half = Math.ceil(list.length / 2);
    return { profile, reported: list.length, newer: mean(list.slice(0, half)), older: mean(list.slice(-half)) };
  });
}

/** How much of what was given was used, by profile. */
export function PrecisionTable({ project }: { project: string }) {
  const data = useData(
    async (signal) => {
      const { receipts } = await server.listReceipts({ project, limit: looked }, { signal });
      return precisions(await Promise.all(receipts.map((r) => server.getReceipt(r.id, { signal }).catch(() => r))));
    },
    [project],
    (e) => e.type === "task_completed" && e.project === project,
  );
  return (
    <section class="card" aria-labelledby="precision-h">
      <h2 id="precision-h">Precision by profile</h2>
      <Shown
        data={data}
        what="precision"
        empty={(v) =>
          v.length === 0 && (
            <Notice kind="empty" title={`Nothing was reported about the last ${looked} contexts.`}>
              <code>POST /v1/context/{"{id}"}/feedback</code> tells what was used of one.
            </Notice>
          )
        }
      >
        {(v) => (
          <Table
            label="Precision by profile"
            caption={
              <>
                Share of the pieces that were used or opened, of the last {looked} contexts that were reported on
              </>
            }
            columns={["profile", "reported", "older half", "newer half"]}
          >
            {v.map((p) => (
              <tr key={p.profile}>
                <th scope="row">
                  <Text>{p.profile}</Text>
                </th>
                <td>{count(p.reported)}</td>
                <td>
                  <Meter value={p.older} label={percent(p.older)} />
                </td>
                <td>
                  <Meter value={p.newer} label={percent(p.newer)} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}
