// A request of the content log (contract/content-record.ts), to be explained or replayed.
import { z } from "zod";
import type { Listener } from "../../model/model.ts";
import type { ClientRequest } from "./client-request.ts";

export interface CapturedRequest extends ClientRequest {
  id: string;
  listener: Listener["name"];
  isAuthorized: true;
  /** Whether the body is longer than the limit of the log. */
  isCut: boolean;
}

const line = z.looseObject({
  id: z.string(),
  listener: z.enum(["ingress", "egress"]),
  method: z.string(),
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  request: z.string(),
  request_bytes: z.number().optional(),
});

/** Headers that belong to the connection or the length of the original. */
const OF_THE_CONNECTION = new Set(["content-length", "transfer-encoding", "connection"]);

/** Returns the request of a line; undefined for a line that has none. */
export function readCapturedRequest(text: string): CapturedRequest | undefined {
  if (!text.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { success, data } = line.safeParse(value);
  if (!success) return undefined;
  const { id, listener, method, path, headers, request } = data;
  return {
    ...{ id, listener, method, path },
    headers: headers.filter(([name]) => !OF_THE_CONNECTION.has(name)),
    body: Buffer.from(request),
    isAuthorized: true,
    isCut: data.request_bytes !== undefined,
  };
}
