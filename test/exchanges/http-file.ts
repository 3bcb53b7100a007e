// HTTP messages as cases have them: text with marks for chunk borders. The rules are in README.md.
import { HEADER_REQUEST_ID } from "../../contract/words.ts";
import { framesOf } from "./frames.ts";

export type Header = readonly [name: string, value: string];

export interface HttpMessage {
  /** Request line or status line, as written. */
  start: string;
  headers: Header[];
  /** All chunks together. */
  body: Buffer;
  /** The body as it arrives; empty when there is none. */
  chunks: Buffer[];
  isReset: boolean;
}

export interface RequestMessage extends HttpMessage {
  method: string;
  path: string;
}

export interface ResponseMessage extends HttpMessage {
  status: number;
}

const CHUNK = Buffer.from("<<chunk>>");
const RESET = Buffer.from("<<reset>>");

function parse(file: string, bytes: Buffer): HttpMessage {
  const end = bytes.indexOf("\n\n");
  const headText = (end === -1 ? bytes : bytes.subarray(0, end)).toString("latin1").trimEnd();
  const [start = "", ...lines] = headText.split("\n");
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(":", 1);
    if (colon === -1) throw new Error(`${file}: "${line}" is no header line`);
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  let written = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 2);
  if (written.at(-1) === 0x0a) written = written.subarray(0, -1);
  const isReset = written.subarray(-RESET.length).equals(RESET);
  if (isReset) written = written.subarray(0, -RESET.length);
  const parts = split(written);
  const chunks = headers.some(isBinaryStream)
    ? parts.map((chunk) => framesOf(file, chunk.toString()))
    : parts;
  return { start, headers, body: Buffer.concat(chunks), chunks, isReset };
}

/** Whether the header declares AWS's binary event stream, which a case has as lines (frames.ts). */
function isBinaryStream([name, value]: Header): boolean {
  return name.toLowerCase() === "content-type" && value === "application/vnd.amazon.eventstream";
}

function split(written: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let from = 0;
  for (let at = written.indexOf(CHUNK); at !== -1; at = written.indexOf(CHUNK, from)) {
    chunks.push(written.subarray(from, at));
    from = at + CHUNK.length;
  }
  chunks.push(written.subarray(from));
  return chunks.filter((chunk) => chunk.length > 0);
}

export function parseRequest(file: string, bytes: Buffer): RequestMessage {
  const message = parse(file, bytes);
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(message.start) ?? [];
  if (method === undefined || path === undefined)
    throw new Error(`${file}: "${message.start}" is no request line`);
  return { ...message, method, path };
}

export function parseResponse(file: string, bytes: Buffer): ResponseMessage {
  const message = parse(file, bytes);
  const [, status] = /^HTTP\/1\.1 (\d{3})(?: .*)?$/.exec(message.start) ?? [];
  if (status === undefined) throw new Error(`${file}: "${message.start}" is no status line`);
  return { ...message, status: Number(status) };
}

/** First value of that name. */
export function headerOf(
  message: { headers: readonly Header[] },
  name: string,
): string | undefined {
  return message.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Headers that differ from run to run, or between the rings, without meaning; and the one that both rings check in every case. */
const VOLATILE = new Set([
  HEADER_REQUEST_ID,
  "date",
  "content-length",
  "connection",
  "keep-alive",
  "transfer-encoding",
]);

/** A message as cases have it: volatile headers left out, the others sorted by name. */
export function formatMessage(
  start: string,
  headers: readonly Header[],
  body: Uint8Array,
  isReset = false,
): Buffer {
  const lines = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !VOLATILE.has(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}: ${value}\n`);
  return Buffer.concat([
    Buffer.from(`${start}\n${lines.join("")}`, "latin1"),
    Buffer.from("\n"),
    withoutNow(body),
    Buffer.from(isReset ? "<<reset>>\n" : "\n"),
  ]);
}

/** Replaces the time of the run, which a translated response contains, by `<<now>>`. */
function withoutNow(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString("latin1");
  const now = Date.now() / 1000;
  const found = text.replaceAll(
    /"(created|created_at|completed_at)":(\d{10})(?=[,}])/g,
    (member, name: string, seconds: string) =>
      Math.abs(Number(seconds) - now) < 600 ? `"${name}":<<now>>` : member,
  );
  return found === text ? body : Buffer.from(found, "latin1");
}

/** For comparing: readable where it is UTF-8, and never equal for different bytes. */
export function readable(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : `latin1:${bytes.toString("latin1")}`;
}
