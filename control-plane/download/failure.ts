// The error of a download that failed: what failed, the cause where it is known, and what to do.
import { GatewayError } from "../report/gateway-error.ts";
import type { Wanted } from "./pinned-file.ts";

/** Causes that only this folder detects. */
export const CHECKSUM = "the checksum is not the pinned one";
export const CUT = "the connection was cut";

/** Returns the error for a cause, with its first known explanation; the text itself if there is none. */
export function failure(cause: unknown, { what, otherwise }: Wanted): GatewayError {
  const text = textOf(cause);
  const known = CAUSES.find(({ pattern }) => pattern.test(text));
  return new GatewayError(`${what} could not be downloaded: ${known?.what ?? text}.`, {
    hint: known?.hint(otherwise) ?? `${sentence(otherwise)} to go on without it.`,
  });
}

/** Returns the message and the messages of its causes: fetch reports a refused connection in the second one. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const own = code === undefined || error.message.includes(code) ? [] : [code];
  const inner =
    error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.message, ...own, ...inner.map(textOf)].filter((text) => text !== "").join(": ");
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const CAUSES: readonly { pattern: RegExp; what: string; hint: (otherwise: string) => string }[] = [
  {
    pattern: new RegExp(CHECKSUM),
    what: "the file's checksum is not the pinned one",
    hint: (otherwise) =>
      `Run this again; if it stays so, the package index or a proxy returns a different file: do not use it, and ${otherwise}.`,
  },
  {
    pattern: /ENOSPC|no space left/i,
    what: "the disk is full",
    hint: () =>
      "Free about 400 MB in the cache directory (or set XDG_CACHE_HOME to a different disk) and run this again.",
  },
  {
    pattern: /EACCES|EROFS|EPERM|permission denied|read-only file system/i,
    what: "the cache directory cannot be written",
    hint: () => "Set XDG_CACHE_HOME to a directory that you can write to and run this again.",
  },
  {
    pattern: /CERT|certificate|SELF_SIGNED/,
    what: "the package index's TLS certificate is not trusted",
    hint: () =>
      "If a proxy on your network intercepts TLS, set NODE_EXTRA_CA_CERTS to its CA file and run this again.",
  },
  {
    pattern: new RegExp(CUT),
    what: CUT,
    hint: (otherwise) => `Run this again: it continues where it stopped. Or ${otherwise}.`,
  },
  {
    pattern:
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR|fetch failed|aborted due to timeout/,
    what: "the package index cannot be reached",
    hint: (otherwise) =>
      `Check the network, HTTPS_PROXY and PIP_INDEX_URL, then run this again, or ${otherwise}.`,
  },
];
