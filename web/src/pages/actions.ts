// What can be done to a remembered item, and undone again.
import type { MemoryItem } from "../../../clients/ts/contextd.js";
import { tell } from "../parts/toast.js";
import { server, told } from "../server.js";
import { brief } from "../text.js";

const grace = 8_000; // ms in which a forgotten item can be had back

/** Items that are as good as forgotten: they are hidden, and forgotten for good after the time of grace. */
export const going = new Map<string, () => Promise<void>>();

/** Forgets an item after a time of grace, or when the page is left; changed is called when what is to be shown is another. */
export function forget(agent: string, project: string, it: MemoryItem, changed: () => void): void {
  const timer = setTimeout(() => void now(), grace);
  const now = async () => {
    clearTimeout(timer);
    away(); // from now on it cannot be had back
    if (going.get(it.id) !== now) return;
    try {
      await server.forgetItem(agent, it.id, { project: project || undefined });
    } catch (e) {
      tell(`"${brief(it.content, 40)}" is not forgotten. ${told(e).what}`, { bad: true });
    }
    going.delete(it.id);
    changed();
  };
  going.set(it.id, now);
  const away = tell(`Forgotten: ${brief(it.content, 60)}`, {
    undo: () => {
      clearTimeout(timer);
      going.delete(it.id);
      changed();
    },
  });
  changed();
}

/** Forgets now what waits to be. */
export const forgetAll = () => Promise.all([...going.values()].map((f) => f()));

/** Gives an item another importance, or lets it fade; undo gives it the one that it had. */
export async function move(agent: string, project: string, it: MemoryItem, to: number | null): Promise<void> {
  const query = { project: project || undefined };
  const before = it.pinned ?? null;
  try {
    const now = await server.pinItem(agent, it.id, { pinned: to }, query);
    tell(`Now ${now.tier}: ${brief(it.content, 60)}`, {
      undo: () => void server.pinItem(agent, it.id, { pinned: before }, query).catch((e) => tell(`Not undone. ${told(e).what}`, { bad: true })),
    });
  } catch (e) {
    tell(`Not moved. ${told(e).what}`, { bad: true });
  }
}

addEventListener("pagehide", () => void forgetAll());
