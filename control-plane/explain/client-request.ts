import type { Listener } from "../../model/model.ts";

/** A request as a client would send it. */
export interface ClientRequest {
  method: string;
  /** With the query. */
  path: string;
  /** Names as written; at most one `host`. */
  headers: [name: string, value: string][];
  body: Uint8Array;
  /** Absent: the one whose port `host` names. */
  listener?: Listener["name"];
  /** Of a request of the content log. */
  id?: string;
  /** Its API key was valid, and is not a part of it. */
  isAuthorized?: boolean;
}
