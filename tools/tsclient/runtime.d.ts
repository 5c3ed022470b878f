
/** What a client is made with. */
export interface ClientOptions {
  /** Where the server is; http://127.0.0.1:9465 if not given. */
  baseUrl?: string;
  /** The bearer token, where one is wanted. */
  token?: string;
  /** What sends requests; the global fetch if not given. */
  fetch?: typeof globalThis.fetch;
}

/** What a single call may be given. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The id under which the server logs the call: letters, digits and ._:- */
  requestId?: string;
}

/** What listening may be given. */
export interface ListenOptions {
  signal?: AbortSignal;
  /** The class of WebSocket; the global one if not given. */
  WebSocket?: typeof globalThis.WebSocket;
}

/** An error that the server sent. */
export declare class ContextdError extends Error {
  constructor(problem: Problem);
  readonly problem: Problem;
  readonly type: string;
  readonly status: number;
}

/** A client of one server. Its methods may be called at the same time. */
export declare class Contextd {
  constructor(options?: ClientOptions);

  // METHODS
}

/** An event: what all types have in common. */
export interface Envelope<Type extends string, Data> {
  type: Type;
  at: string;
  /** "" where it is of none. */
  project: string;
  /** "" where it is of none. */
  agent: string;
  data: Data;
}
