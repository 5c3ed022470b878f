import { h } from "preact";
import type { Server } from "../../../clients/ts/contextd.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { ago, clock, count } from "../text.js";

/** Each of several Redis servers: where it is, whether it answers, what lies on it. */
export function Servers({ list }: { list: Server[] }) {
  const down = list.filter((s) => s.error).length;
  return (
    <section class="card" aria-labelledby="servers-h">
      <h2 id="servers-h">Servers</h2>
      {down > 0 && <p>▲ {down === 1 ? "One does" : `${count(down)} do`} not answer: what lies there is missing on all pages.</p>}
      <Table label="Servers" columns={["server", "address", "state", "projects", "why"]}>
        {list.map((s) => (
          <tr key={s.name}>
            <th scope="row">
              <Text>{s.name}</Text>
            </th>
            <td class="source">
              <Text>{s.address ?? ""}</Text>
            </td>
            <td title={s.down_since && clock(s.down_since)}>{s.error ? `▲ down${s.down_since ? `, since ${ago(s.down_since)}` : ""}` : "✓ up"}</td>
            <td>{s.error && !s.projects ? "not known" : count(s.projects ?? 0) + (s.error ? " when it answered last" : "")}</td>
            <td>
              <Text>{s.error ?? ""}</Text>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
