// Tests of components in a real browser: each renders into an element of its own.
import { render, type ComponentChild } from "preact";

export interface Result {
  name: string;
  error: string;
}

const tests: { name: string; run: (at: HTMLElement) => void | Promise<void> }[] = [];

export function test(name: string, run: (at: HTMLElement) => void | Promise<void>): void {
  tests.push({ name, run });
}

export function equal(got: unknown, want: unknown, what = "got"): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

/** Renders, and waits until what follows from it is drawn. */
export async function show(node: ComponentChild, at: HTMLElement): Promise<void> {
  render(node, at);
  await drawn();
}

export const drawn = () => new Promise<void>((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 0)), 20));

export function find<E extends HTMLElement = HTMLElement>(at: ParentNode, selector: string, text = ""): E {
  const found = [...at.querySelectorAll<E>(selector)].find((e) => e.textContent!.includes(text));
  if (!found) throw new Error(`no ${selector} with "${text}"`);
  return found;
}

export async function run(): Promise<Result[]> {
  const out: Result[] = [];
  for (const t of tests) {
    const at = document.createElement("div");
    document.body.append(at);
    try {
      await t.run(at);
      out.push({ name: t.name, error: "" });
    } catch (e) {
      out.push({ name: t.name, error: e instanceof Error ? e.message : String(e) });
    }
    render(null, at);
    at.remove();
  }
  return out;
}
