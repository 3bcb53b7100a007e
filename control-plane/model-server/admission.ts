// How much a server takes on at a time: decided by the head of a request before a byte of its body is read, and once more by
// the number of its values before they become objects (`readJson`).
import type { MiddlewareHandler } from "hono";
import { ServerError } from "./server-error.ts";

/** More at once wait for each other. */
const MAX_REQUESTS = 512;
const RETRY_AFTER_SECONDS = 1;

/** What the handlers of admitted requests have. */
export interface Admitted {
  Variables: {
    /** Takes so many bytes more until the request has been answered. Throws a ServerError when there is no room for them. */
    hold: (bytes: number) => void;
  };
}

/** @param most bytes that one request may hold, and all that are under way together */
export function admission(most: number): MiddlewareHandler<Admitted> {
  let requests = 0;
  let inUse = 0;
  return async (http, next) => {
    if (http.req.method !== "POST") {
      await next();
      return;
    }
    let own = 0;
    const hold = (bytes: number): void => {
      if (own + bytes > most) throw new ServerError(413, "The body is too large.");
      if (inUse + bytes > most) throw busy();
      own += bytes;
      inUse += bytes;
    };
    if (requests >= MAX_REQUESTS) throw busy();
    hold(announcedSize(http.req.raw.headers) ?? 0);
    requests += 1;
    http.set("hold", hold);
    try {
      await next();
    } finally {
      requests -= 1;
      inUse -= own;
    }
  };
}

/** Bytes of a body whose head tells them; undefined for one that is counted as it comes (`readJson`). */
export function announcedSize(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? undefined : Number(length);
}

function busy(): ServerError {
  return new ServerError(503, "Too many requests are under way.", RETRY_AFTER_SECONDS);
}
