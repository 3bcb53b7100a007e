// The request that a curl command line sends. Options that do not change the request are accepted and ignored.
// @see https://curl.se/docs/manpage.html
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";
import { GatewayError } from "../report/gateway-error.ts";
import type { ClientRequest } from "./client-request.ts";

const texts = { type: "string", multiple: true } as const;
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const OPTIONS = {
  url: text,
  request: { ...text, short: "X" },
  header: { ...texts, short: "H" },
  data: { ...texts, short: "d" },
  "data-raw": texts,
  "data-binary": texts,
  json: texts,
  "user-agent": { ...text, short: "A" },
  user: { ...text, short: "u" },
  head: { ...flag, short: "I" },
  // Without influence on the request.
  silent: { ...flag, short: "s" },
  "show-error": { ...flag, short: "S" },
  "no-buffer": { ...flag, short: "N" },
  insecure: { ...flag, short: "k" },
  include: { ...flag, short: "i" },
  verbose: { ...flag, short: "v" },
  location: { ...flag, short: "L" },
  fail: { ...flag, short: "f" },
  "fail-with-body": flag,
  compressed: flag,
  "http1.1": flag,
  http2: flag,
  "max-time": { ...text, short: "m" },
  "connect-timeout": text,
  output: { ...text, short: "o" },
  "write-out": { ...text, short: "w" },
  cacert: text,
} satisfies ParseArgsOptionsConfig;

/** Returns the request. Throws a GatewayError (exit 2) for an option that is not known, or without a URL. */
export function requestOfCurl(words: readonly string[]): ClientRequest {
  const { values, positionals } = parsed(words.slice(1));
  const url = urlOf(values.url ?? positionals[0]);
  const parts = [
    ...(values.data ?? []).map(withoutLines),
    ...(values["data-raw"] ?? []).map((one) => Buffer.from(one)),
    ...(values["data-binary"] ?? []).map(contentOf),
  ];
  const json = values.json ?? [];
  const bodies = [...parts, ...json.map(contentOf)];
  const headers = (values.header ?? []).flatMap(headerOf);
  const has = (name: string) => headers.some(([key]) => key === name);
  const add = (name: string, value: string) => {
    if (!has(name)) headers.push([name, value]);
  };
  if (!has("host")) headers.unshift(["host", url.host]);
  if (json.length > 0) add("accept", "application/json");
  else add("accept", "*/*");
  if (bodies.length > 0) {
    add("content-type", json.length > 0 ? "application/json" : "application/x-www-form-urlencoded");
  }
  add("user-agent", values["user-agent"] ?? "curl");
  if (values.user !== undefined) {
    add("authorization", `Basic ${Buffer.from(values.user).toString("base64")}`);
  }
  return {
    method: values.request ?? (values.head === true ? "HEAD" : bodies.length > 0 ? "POST" : "GET"),
    path: `${url.pathname}${url.search}`,
    headers,
    body: Buffer.concat(json.length > 0 ? bodies : joined(bodies)),
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [message = ""] = (error as Error).message.split(". To specify");
    throw new GatewayError(`The curl command cannot be read: ${message}.`, {
      hint: "Use -X, -H, -d, --data-raw, --data-binary, --json, -u and options that do not change the request.",
      exitCode: 2,
    });
  }
}

function urlOf(word: string | undefined): URL {
  const url = word === undefined ? null : URL.parse(word.includes("://") ? word : `http://${word}`);
  if (url !== null) return url;
  throw new GatewayError("The curl command has no URL.", { exitCode: 2 });
}

/** `Name: value`, or `Name;` for an empty one. `Name:` removes a header of curl. */
function headerOf(line: string): [string, string][] {
  const [, name = "", sign, value = ""] = /^([^:;]+)([:;])\s*(.*)$/s.exec(line) ?? [];
  if (name === "") {
    throw new GatewayError(`The curl command has a header without a name: "${line}".`, {
      hint: "Write -H 'name: value'.",
      exitCode: 2,
    });
  }
  return sign === ":" && value === "" ? [] : [[name.toLowerCase(), value]];
}

/** What `-d` sends: `@file` is read, without its line breaks. */
function withoutLines(value: string): Buffer {
  if (!value.startsWith("@")) return Buffer.from(value);
  return Buffer.from(
    contentOf(value)
      .toString("latin1")
      .replaceAll(/[\r\n]/g, ""),
    "latin1",
  );
}

/** What `--data-binary` and `--json` send: `@file` is read as it is. */
function contentOf(value: string): Buffer {
  if (!value.startsWith("@")) return Buffer.from(value);
  const file = value.slice(1);
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new GatewayError(`${file} cannot be read (${String(code)}).`, { exitCode: 2 });
  }
}

/** Several `-d` are joined by `&`. */
function joined(parts: readonly Buffer[]): Buffer[] {
  return parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from("&"), part]));
}
