// What the model server takes on at a time: decided by the head of a request before a byte of its body is read, and once more
// by the number of its values before they become objects.
import type { MiddlewareHandler } from "hono";
import { ServerError } from "./server-error.ts";

/** More at once wait for each other. */
const MOST_REQUESTS = 512;
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
    const size = bodySize(http.req.raw.headers);
    if (requests >= MOST_REQUESTS) throw busy();
    hold(size);
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

/** Throws a ServerError for a body that is no JSON, or whose size its head does not tell. */
function bodySize(headers: Headers): number {
  const type = headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ServerError(415, "The body has to be application/json.");
  }
  const length = headers.get("content-length");
  if (length === null || headers.has("transfer-encoding")) {
    throw new ServerError(411, "The request has to say the size of its body (content-length).");
  }
  return Number(length);
}

function busy(): ServerError {
  return new ServerError(503, "Too many requests are under way.", RETRY_AFTER_SECONDS);
}
