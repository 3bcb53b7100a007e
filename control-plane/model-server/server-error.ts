// An error for the caller of the model server, with its status.
import type { ContentfulStatusCode } from "hono/utils/http-status";

export class ServerError extends Error {
  readonly status: ContentfulStatusCode;
  /** Seconds after which the caller may retry. */
  readonly retryAfter: number | undefined;

  constructor(status: ContentfulStatusCode, message: string, retryAfter?: number) {
    super(message);
    this.name = "ServerError";
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
