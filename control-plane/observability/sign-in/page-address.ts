// Where a request came from.
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";

/** Returns the address of the other end of the connection; undefined if there is none, as in tests. */
export function addressOf(context: Context): string | undefined {
  try {
    return getConnInfo(context).remote.address;
  } catch {
    return undefined;
  }
}
