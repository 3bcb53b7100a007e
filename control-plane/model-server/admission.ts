// Limits how much work a server accepts at a time: checked against the head of a request before its body is read, and
// again against the number of its values before they become objects (`readJson`).
import type { MiddlewareHandler } from "hono";
import { ServerError } from "./server-error.ts";

/** Maximum number of in-flight requests; further ones are rejected with a 503. */
const MAX_REQUESTS = 512;
const RETRY_AFTER_SECONDS = 1;

/** Variables of admitted requests that the handlers can use. */
export interface Admitted {
  Variables: {
    /** Reserves further bytes until the response has been sent. Throws a ServerError if they are not available. */
    hold: (bytes: number) => void;
  };
}

/** Returns the middleware. @param most bytes that one request may hold, and all in-flight requests together */
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

/** Returns the size of a body from its head; undefined for a body that is counted as it arrives (`readJson`). */
export function announcedSize(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return length === null || headers.has("transfer-encoding") ? undefined : Number(length);
}

function busy(): ServerError {
  return new ServerError(503, "Too many requests are under way.", RETRY_AFTER_SECONDS);
}
