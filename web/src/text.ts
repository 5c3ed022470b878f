// Text from files, memories and tasks is hostile: what cannot be seen, or turns the direction of its surroundings, is shown as an escape.

const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

/** A run of text, or one character that is shown as its escape. */
export interface Piece {
  text: string;
  escape: boolean;
}

const name = (c: string) => `\\u{${c.codePointAt(0)!.toString(16)}}`;

/** The text cut at the characters that are to be shown as escapes. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const m of text.matchAll(hidden)) {
    if (m.index > from) out.push({ text: text.slice(from, m.index), escape: false });
    out.push({ text: name(m[0]), escape: true });
    from = m.index + m[0].length;
  }
  if (from < text.length) out.push({ text: text.slice(from), escape: false });
  return out;
}

/** The text for attributes and titles, where only characters can stand. */
export const plain = (text: string) => text.replace(hidden, name);

/** The first line, shortened. */
export function brief(text: string, most = 120): string {
  const line = text.trim().split("\n", 1)[0];
  const letters = Array.from(line.slice(0, 2 * most + 2));
  return letters.length > most ? letters.slice(0, most).join("") + "…" : line;
}

/** A number with its thousands apart. */
export const count = (n: number) => Math.round(n).toLocaleString("en-US");

/** A share as a percentage. */
export const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** How long ago a time was; "never" for none. */
export function ago(at: string | undefined, now = Date.now()): string {
  const then = at ? Date.parse(at) : NaN;
  if (Number.isNaN(then) || then <= 0) return "never";
  const s = Math.max(0, (now - then) / 1000);
  if (s < 60) return `${Math.round(s)} s ago`;
  if (s < 3600) return `${Math.round(s / 60)} min ago`;
  if (s < 48 * 3600) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86400)} d ago`;
}

/** A time as people of this browser write it. */
export function clock(at: string | undefined): string {
  const then = at ? Date.parse(at) : NaN;
  return Number.isNaN(then) || then <= 0 ? "never" : new Date(then).toLocaleString();
}

const common = new Set("and are does for from how not that the this was what when where which who why with".split(" "));

/** The words of a question that are worth marking. */
export function wordsOf(question: string): string[] {
  const found = question.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  return [...new Set(found)].filter((w) => !common.has(w)).slice(0, 32);
}

/** The text cut into what matches one of the words, in any case, and what does not. */
export function marked(text: string, words: string[]): { text: string; hit: boolean }[] {
  if (words.length === 0) return [{ text, hit: false }];
  const any = new RegExp(words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  const out: { text: string; hit: boolean }[] = [];
  let from = 0;
  for (const m of text.matchAll(any)) {
    if (m.index > from) out.push({ text: text.slice(from, m.index), hit: false });
    out.push({ text: m[0], hit: true });
    from = m.index + m[0].length;
  }
  if (from < text.length) out.push({ text: text.slice(from), hit: false });
  return out;
}
