// A client's request from a file: HTTP as it is on the wire, a curl command line, or only the JSON body.
import { parse as parseShell } from "shell-quote";
import { GatewayError } from "../report/gateway-error.ts";
import type { ClientRequest } from "./client-request.ts";
import { requestOfCurl } from "./curl.ts";

/** The endpoint of a file with only a body. */
const DEFAULT_PATH = "/v1/chat/completions";
const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?\r?(?:\n|$)/;

/**
 * Returns the request of a file.
 * @param name of the file, for messages
 * @param endpoint the path for a file with only a body
 * @throws {GatewayError} (exit 2) if it has another form
 */
export function readClientRequest(
  name: string,
  bytes: Buffer,
  endpoint = DEFAULT_PATH,
): ClientRequest {
  const start = bytes.subarray(0, 8192).toString("latin1").trimStart();
  const [, method, path] = REQUEST_LINE.exec(start) ?? [];
  if (method !== undefined && path !== undefined) return readHttp(name, bytes, method, path);
  if (start.startsWith("curl ")) return requestOfCurl(shellWords(name, bytes.toString()));
  if (start.startsWith("{")) {
    const headers: ClientRequest["headers"] = [["content-type", "application/json"]];
    return { method: "POST", path: endpoint, headers, body: bytes };
  }
  throw new GatewayError(`${name} is not a request.`, {
    hint: "Expected a request line and headers (POST /v1/chat/completions HTTP/1.1 …), a curl command, or a JSON body.",
    exitCode: 2,
  });
}

function readHttp(name: string, bytes: Buffer, method: string, path: string): ClientRequest {
  const head = /\r?\n\r?\n/.exec(bytes.toString("latin1"));
  const end = head?.index ?? bytes.length;
  const lines = bytes.subarray(0, end).toString("latin1").trimEnd().split(/\r?\n/).slice(1);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    if (colon > 0) return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    throw new GatewayError(`${name}: "${line}" is not a header.`, {
      hint: "Write each header as name: value, and an empty line before the body.",
      exitCode: 2,
    });
  });
  let body = bytes.subarray(end + (head?.[0].length ?? 0));
  // Editors end a file with a line feed, which is not part of the body.
  if (body.at(-1) === 0x0a) body = body.subarray(0, -1);
  return { method, path, headers: withoutLength(headers), body };
}

/** The length is that of the body that was read. */
function withoutLength(headers: ClientRequest["headers"]): ClientRequest["headers"] {
  return headers.filter(([name]) => name !== "content-length" && name !== "transfer-encoding");
}

/** The words of a command line, as a shell splits it. Variables stay as they are written. */
function shellWords(name: string, text: string): string[] {
  const words = parseShell(text.replaceAll("\\\n", " ").trim(), (variable) => `$${variable}`);
  return words.map((word) => {
    if (typeof word === "string") return word;
    if ("pattern" in word) return word.pattern;
    throw new GatewayError(`${name} is more than one curl command.`, {
      hint: "Leave out pipes, redirections and comments.",
      exitCode: 2,
    });
  });
}
