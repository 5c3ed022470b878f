import { h, type ComponentChildren } from "preact";
import { useData } from "../data.js";
import { Notice, Shown } from "../parts/notice.js";
import { Pick } from "../parts/pick.js";
import { go, link, type Route } from "../route.js";
import { server } from "../server.js";

/** A page about one project: which one stands in the link, else it is the first. */
export function OfProject({ route, children }: { route: Route; children: (project: string) => ComponentChildren }) {
  const projects = useData((signal) => server.listProjects({ signal }), [], (e) => e.type === "index_changed");
  const chosen = route.query.get("project");
  return (
    <Shown
      data={projects}
      what="projects"
      empty={(v) =>
        v.projects.length === 0 &&
        !chosen && (
          <Notice kind="empty" title="No project is indexed yet.">
            Run <code>indexer index DIR</code>, or let a daemon do it: <code>indexer run --watch DIR</code>.
          </Notice>
        )
      }
    >
      {(v) => {
        const project = chosen || v.projects[0].project;
        return (
          <div>
            <div class="filters">
              <Pick label="Project" value={project} options={v.projects.map((p) => ({ value: p.project, text: p.project }))} onPick={(p) => go(link(route.name, route.parts, { project: p }))} />
            </div>
            {children(project)}
          </div>
        );
      }}
    </Shown>
  );
}
