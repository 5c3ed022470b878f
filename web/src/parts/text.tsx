import { h, Fragment } from "preact";
import { marked, pieces } from "../text.js";

/** Text of others: what cannot be seen, or turns its surroundings, stands as an escape. */
export function Text({ children, words }: { children: string; words?: string[] }) {
  return (
    <Fragment>
      {pieces(children).map((p) =>
        p.escape ? (
          <span class="escape">{p.text}</span>
        ) : words ? (
          marked(p.text, words).map((m) => (m.hit ? <mark>{m.text}</mark> : m.text))
        ) : (
          p.text
        ),
      )}
    </Fragment>
  );
}
