import { h, type ComponentChildren } from "preact";
import type { Data } from "../data.js";
import { told } from "../server.js";
import { Text } from "./text.js";

/** What there is to say in place of data: what is the case, and what to do. */
export function Notice({ kind, title, children }: { kind: "empty" | "loading" | "error"; title: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { what, todo } = told(error);
  return (
    <div class="notice error" role="alert">
      <strong>
        <Text>{what}</Text>
      </strong>
      <p>
        <Text>{todo}</Text>
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Data, or what there is to say while there is none. An error beside older data is told above them. */
export function Shown<T>({ data, what, empty, children }: { data: Data<T>; what: string; empty?: (value: T) => ComponentChildren; children: (value: T) => ComponentChildren }) {
  const nothing = data.value !== undefined ? empty?.(data.value) : undefined;
  return (
    <div class="shown" aria-busy={data.loading}>
      {data.error !== undefined && <Failure error={data.error} retry={data.reload} />}
      {data.value !== undefined ? nothing || children(data.value) : data.loading && <Notice kind="loading" title={`Loading ${what} …`} />}
    </div>
  );
}
