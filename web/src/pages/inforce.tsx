import { h } from "preact";
import type { Project } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Reasons } from "../parts/reasons.js";
import { Text } from "../parts/text.js";
import { server, told, unauthorized } from "../server.js";

const asked = 10; // projects whose last context is looked at

/** What keeps answers from full strength now, and what to do about it. */
export function InForce({ projects }: { projects: Project[] }) {
  const ids = projects
    .slice(0, asked)
    .map((p) => p.project)
    .join("\n");
  const ready = useData(
    async (signal) => {
      try {
        await server.ready({ signal });
        return "";
      } catch (e) {
        if (unauthorized(e)) throw e;
        return told(e).what;
      }
    },
    [],
    (e) => e.type === "queue_changed" || e.type === "index_changed",
  );
  const last = useData(
    async (signal) => {
      const all = await Promise.all((ids ? ids.split("\n") : []).map((project) => server.listReceipts({ project, limit: 1 }, { signal }).catch(() => ({ receipts: [] }))));
      return [...new Set(all.flatMap((r) => r.receipts.flatMap((x) => x.reasons)))];
    },
    [ids],
    (e) => e.type === "context_assembled",
  );
  const stale = projects.filter((p) => p.stale).map((p) => p.project);
  const reasons = [...new Set([...(stale.length ? ["index_stale"] : []), ...(last.value ?? [])])];
  const fine = !ready.value && reasons.length === 0;
  return (
    <section class="card" aria-labelledby="reasons-h">
      <h2 id="reasons-h">Reasons in force</h2>
      {ready.value && (
        <p role="alert">
          The server is not ready: <Text>{ready.value}</Text> Run <code>indexer doctor</code>.
        </p>
      )}
      {stale.length > 0 && (
        <p>
          Stale: <Text>{stale.join(", ")}</Text>
        </p>
      )}
      <Reasons list={reasons} />
      {fine && <p class="hint">None: answers have full strength.</p>}
      <p class="hint">Of stale projects, and of the last context of each project.</p>
    </section>
  );
}
