// Rules for `base_url` and `http_host`: what can become an Envoy address and an HTTP authority.
import { hintForOwnAddress } from "../../providers/own-formats.ts";
import { pathText } from "../../report/problem.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";

/** Returns the URL if it is valid; otherwise undefined, after reporting a problem. */
export function checkBaseUrl(
  reading: Reading,
  path: Path,
  written: string | undefined,
): string | undefined {
  if (written === undefined) return undefined;
  const fault = faultOf(written);
  if (fault === undefined) return written;
  // A URL with credentials or a query is not repeated: those parts can be secrets.
  const shown = /[@?#]/.test(written) ? "this URL" : reading.show(path, written);
  reading.problem(path, `${shown} ${fault.message}`, { hint: fault.hint });
  return undefined;
}

/** A host of one's own machine or network, where TLS is rare: localhost, a private address, a name without a dot. */
const LOCAL = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]+(?::|\/|$))/;

function faultOf(written: string): { message: string; hint?: string } | undefined {
  if (!/^https?:\/\//i.test(written) || !URL.canParse(written)) {
    const looksLikeHost = /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(written);
    const [first, second] = LOCAL.test(written) ? ["http", "https"] : ["https", "http"];
    return {
      message: "is not an http:// or https:// URL",
      hint: looksLikeHost
        ? `write ${first}://${written} (or ${second}://)`
        : "for example https://llm.example.com/v1",
    };
  }
  const url = new URL(written);
  // The parser silently drops line breaks and turns backslashes: what it reads must be what is written.
  if (/[^\x21-\x7e]|["'\\<>^`{|}]/.test(written)) {
    return { message: "contains a character that is not allowed in a URL" };
  }
  if (url.username !== "" || url.password !== "" || written.includes("@")) {
    return {
      message: "holds credentials",
      hint: "set access_key: $NAME, or use a reference in headers",
    };
  }
  if (/[?#]/.test(written)) return { message: "has a query or a fragment; expected none" };
  if (url.port === "0") return { message: "has port 0" };
  const hint = hintForOwnAddress(written);
  if (hint !== undefined) return { message: "has an API that is not supported", hint };
  const tail = /\/(?:v1\/)?(?:chat\/completions|messages)\/*$/.exec(url.pathname);
  if (tail !== null) {
    return {
      message: "ends with an endpoint; expected the address without it",
      hint: `write it without ${/\/(?:chat\/completions|messages)/.exec(tail[0])?.[0] ?? tail[0]} at the end`,
    };
  }
  return undefined;
}

const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

/** `host` or `host:port`. */
export function checkHost(
  reading: Reading,
  path: Path,
  host: string | undefined,
): string | undefined {
  if (host === undefined) return undefined;
  const match = HOST.exec(host);
  const port = Number(match?.[1] ?? 443);
  if (match !== null && port >= 1 && port <= 65535) return host;
  reading.problem(
    path,
    `expected a host such as llm.example.com, not ${reading.show(path, host)}`,
    {
      hint: /^https?:\/\//.test(host)
        ? `${pathText(path.slice(-1))} must be a host without http://`
        : undefined,
    },
  );
  return undefined;
}
