/** A request as a client would send it. */
export interface ClientRequest {
  method: string;
  /** With the query. */
  path: string;
  /** Names as written; at most one `host`. */
  headers: [name: string, value: string][];
  body: Uint8Array;
}
