import { h } from "preact";
import type { Project } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Text } from "../parts/text.js";
import { tell } from "../parts/toast.js";
import type { Route } from "../route.js";
import { link } from "../route.js";
import { server, told } from "../server.js";
import { ago, clock, count, plain } from "../text.js";
import { InForce } from "./inforce.js";
import { Queue } from "./queue.js";
import { Servers } from "./servers.js";
import { Skipped } from "./skipped.js";
import { Why } from "./why.js";
import { Pick } from "../parts/pick.js";
import { Table } from "../parts/table.js";
import { useEffect, useState } from "preact/hooks";

/** How fresh a project is, in words. */
export function freshness(p: Project): string {
  if (p.stale) return "▲ stale";
  if (p.pending > 0) return `… ${count(p.pending)} waiting`;
  return p.generation > 0 ? "✓ fresh" : "… not indexed yet";
}

/** Page 4: what is indexed, what waits, what failed. */
export function Projects(_: { route: Route }) {
  const projects = useData((signal) => server.listProjects({ signal }), [], (e) => e.type === "index_changed" || e.type === "queue_changed");
  const [why, setWhy] = useState("");
  const several = !!projects.value?.servers;
  useEffect(() => {
    if (!several) return;
    const timer = setInterval(projects.reload, 15_000); // no event tells of a server that came or went
    return () => clearInterval(timer);
  }, [several, projects.reload]);
  const refresh = async (id: string) => {
    try {
      const r = await server.refreshProject(id);
      const by = r.by === "nobody" ? "It waits until a daemon comes: start indexer run." : `The ${r.by} sees to it.`;
      tell(`Refresh of ${id} is asked for. ${r.spooled ? "The store takes none now; it is kept in the spool." : by}`);
      projects.reload();
    } catch (e) {
      tell(`No refresh of ${id}. ${told(e).what}`, { bad: true });
    }
  };
  return (
    <div>
      <InForce projects={projects.value?.projects ?? []} />
      <section class="card" aria-labelledby="projects-h">
        <h2 id="projects-h">Projects</h2>
        <Shown
          data={projects}
          what="projects"
          empty={(v) =>
            v.projects.length === 0 && (
              <Notice kind="empty" title="No project is indexed yet.">
                Run <code>indexer index DIR</code>, or let a daemon do it: <code>indexer run --watch DIR</code>.
              </Notice>
            )
          }
        >
          {(v) => (
            <Table label="Projects" columns={["project", "freshness", "generation", "files", "chunks", "indexed", "embedder", "root", "action"]}>
              {v.projects.map((p) => (
                <tr key={p.project}>
                  <th scope="row">
                    <a href={link("search", [], { project: p.project })}>
                      <Text>{p.project}</Text>
                    </a>
                  </th>
                  <td>{freshness(p)}</td>
                  <td>{p.generation}</td>
                  <td>{count(p.files)}</td>
                  <td>{count(p.chunks)}</td>
                  <td title={clock(p.indexed_at)}>{ago(p.indexed_at)}</td>
                  <td>
                    <Text>{p.model || "none"}</Text>
                  </td>
                  <td class="source">
                    <Text>{p.root}</Text>
                  </td>
                  <td>
                    <button type="button" aria-label={`Refresh ${plain(p.project)}`} onClick={() => void refresh(p.project)}>
                      Refresh
                    </button>
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Shown>
      </section>
      {projects.value?.servers && <Servers list={projects.value.servers} />}
      <Queue />
      {projects.value?.projects.length ? (
        <div>
          <div class="filters">
            <Pick
              label="Files of project"
              value={why || projects.value.projects[0].project}
              options={projects.value.projects.map((p) => ({ value: p.project, text: p.project }))}
              onPick={setWhy}
            />
          </div>
          <Why project={why || projects.value.projects[0].project} key={why} />
          <Skipped project={why || projects.value.projects[0].project} key={`left out of ${why}`} />
        </div>
      ) : null}
    </div>
  );
}
