// Policies of `guards` on streams: what a model writes is masked in each client's format, whichever provider sent it, wherever its
// deltas and its bytes are split.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import { receive, TEXT_KINDS } from "../unit/filter/client-streams.ts";
import type { Part, TextKind } from "../unit/filter/client-streams.ts";
import { DIALECTS } from "../unit/filter/guarded-response.ts";
import type { Dialect } from "../unit/filter/guarded-response.ts";
import { loadCase } from "./case.ts";
import { PROVIDER_STREAMS, type ProviderStream } from "./provider-streams.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const configuration = readFileSync(
  join(import.meta.dirname, "config/guarded-responses.yaml"),
  "utf8",
);

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEAx0/+".repeat(8)}\n-----END RSA PRIVATE KEY-----`;
/** Each value that is found, and what stands in its place. */
const VALUES: readonly (readonly [string, string])[] = [
  ["ana.lopez@example.com", "<EMAIL>"],
  ["DE89 3704 0044 0532 0130 00", "<IBAN>"],
  ["4111 1111 1111 1111", "<CARD>"],
  ["AKIAIOSFODNN7EXAMPLE", "<SECRET>"],
  [PEM, "<PRIVATE_KEY>"],
];
const PLAIN =
  `Write to ${VALUES[0]?.[0] ?? ""}, ${VALUES[1]?.[0] ?? ""} or ${VALUES[2]?.[0] ?? ""}; key ` +
  `${VALUES[3]?.[0] ?? ""} é😀 <EMAIL>, not 4111 1111 1111 1112.\n${PEM}\nThe end a@b`;
const TEXTS: Record<TextKind, string> = {
  text: PLAIN,
  reasoning: PLAIN,
  arguments: JSON.stringify({ a: PLAIN, "b@example.org": `"${PLAIN}"` }),
};

const masked = (text: string): string =>
  VALUES.reduce((all, [value, name]) => all.replaceAll(value, name), text);

const MASKED_ARGUMENTS = { a: masked(PLAIN), "<EMAIL>": `"${masked(PLAIN)}"` };

const STEP = 6;

const BODIES: Record<Dialect, [path: string, body: object]> = {
  openai_chat: ["/v1/chat/completions", { messages: [{ role: "user", content: "hi" }] }],
  anthropic_messages: [
    "/v1/messages",
    { max_tokens: 64, messages: [{ role: "user", content: "hi" }] },
  ],
  openai_responses: ["/v1/responses", { input: "hi" }],
};

let host: FilterHost;

beforeAll(async () => {
  const { filterConfig, environment } = loadCase({ name: "guards", configuration });
  host = await FilterHost.load(await compileFilter(FILTER), { filterConfig, environment });
});

function streamTo(dialect: Dialect, model: string, parts: readonly Part[], size: number): string {
  const stream = PROVIDER_STREAMS[model]?.(parts);
  if (stream === undefined) throw new Error(`no stream for ${model}`);
  const { status, body } = send(dialect, model, stream, size);
  expect(status).toBe(200);
  return body;
}

function send(
  dialect: Dialect,
  model: string,
  stream: ProviderStream,
  size: number,
  isStreaming = true,
) {
  const [path, body] = BODIES[dialect];
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.body.length; at += size)
    chunks.push(stream.body.subarray(at, at + size));
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["host", "localhost:12000"],
        ["content-type", "application/json"],
        ["anthropic-version", "2023-06-01"],
        ["x-request-id", "00000000-0000-4000-8000-000000000001"],
      ],
      body: [Buffer.from(JSON.stringify({ model, stream: isStreaming, ...body }))],
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", stream.type]],
      chunks,
      ending: "complete",
      emptyEnd: true,
    }),
    removed: loadCase({ name: "guards", configuration }).removed,
    maxAttempts: 1,
  });
  const { faults, trap, response } = result;
  expect({ faults, trap }).toEqual({ faults: [], trap: undefined });
  return { status: response.status, body: Buffer.from(response.body).toString() };
}

function partsOf(kind: TextKind, text: string, at: readonly number[]): Part[] {
  const ends = [...at, text.length];
  return ends.map((end, index) => ({ kind, text: text.slice(ends[index - 1] ?? 0, end) }));
}

/** Everything that the client gets, texts that are repeated included. */
function check(kind: TextKind, dialect: Dialect, stream: string): void {
  const { texts, repeated, numbers } = receive(dialect, stream);
  const found = texts.filter((text) => text.kind === kind).map(({ text }) => text);
  const all = [...found, ...repeated.filter((text) => text !== "")];
  for (const text of all.length > 0 ? all : [""]) {
    if (kind === "arguments") expect(JSON.parse(text)).toEqual(MASKED_ARGUMENTS);
    else expect(text).toBe(masked(TEXTS[kind]));
  }
  for (const [value] of VALUES) expect(stream).not.toContain(value);
  expect(stream).not.toContain("MIIEow");
  expect(numbers).toEqual(numbers.map((_, index) => index));
}

describe.each(Object.keys(PROVIDER_STREAMS))("a stream of %s", (model) => {
  describe.each(DIALECTS)("for a client of %s", (dialect) => {
    it.each(TEXT_KINDS)("%s is masked wherever its deltas are split", (kind) => {
      const text = TEXTS[kind];
      // The splits of one text are tested by the streams of different providers; those by letters have all of them.
      const first = 1 + (Object.keys(PROVIDER_STREAMS).indexOf(model) % STEP);
      for (let at = first; at < text.length; at += STEP)
        check(kind, dialect, streamTo(dialect, model, partsOf(kind, text, [at]), Infinity));
    });

    it.each(TEXT_KINDS)("%s is masked wherever its bytes are split", (kind) => {
      const text = TEXTS[kind];
      const letters = Array.from({ length: text.length - 1 }, (_, at) => at + 1);
      for (const size of [1, 2, 3, 5, 17, 1000])
        check(kind, dialect, streamTo(dialect, model, partsOf(kind, text, letters), size));
    });
  });
});

/** By the model that the client names: the policy blocks what has a key or an address. */
const BLOCKED: Record<Dialect, string> = {
  openai_chat: "openai/gpt-blocked",
  anthropic_messages: "anthropic/claude-blocked",
  openai_responses: "responses-blocked",
};
const WHY = "The policy no-keys of the gateway has blocked this response: it contains secret.";

describe.each(DIALECTS)("a stream of %s that a policy blocks", (dialect) => {
  const source =
    dialect === "openai_chat"
      ? "openai/gpt-4o"
      : dialect === "openai_responses"
        ? "responses"
        : "anthropic/claude-sonnet-4-5";
  const blocked = (parts: readonly Part[], size: number): string => {
    const stream = PROVIDER_STREAMS[source]?.(parts);
    if (stream === undefined) throw new Error("no stream");
    return send(dialect, BLOCKED[dialect], stream, size).body;
  };
  /** What the last event with data means to a client. */
  const endOf = (stream: string) =>
    stream
      .trimEnd()
      .split("\n\n")
      .filter((one) => !one.endsWith("[DONE]"))
      .at(-1)
      ?.replace(/^[^]*?data: /, "");

  it.each(["text", "reasoning"] as const)(
    "%s ends in its place, in words that agents act on",
    (kind) => {
      const text = "The key is AKIAIOSFODNN7EXAMPLE, and more follows.";
      for (let at = 1; at < text.length; at++) {
        for (const size of [1, Infinity]) {
          const body = blocked(partsOf(kind, text, [at]), size);
          expect(body).not.toContain("AKIAI");
          expect(body).not.toContain("more");
          const end = JSON.parse(endOf(body) ?? "") as Record<string, unknown>;
          if (dialect === "anthropic_messages") {
            expect(end).toMatchObject({
              type: "error",
              error: { message: WHY, details: { error_code: "dlp_request_denied" } },
            });
          } else if (dialect === "openai_responses") {
            expect(end).toMatchObject({
              type: "response.failed",
              response: {
                id: "resp_1",
                status: "failed",
                error: { code: "invalid_prompt", message: WHY },
              },
            });
            const { numbers } = receive(dialect, body);
            expect(numbers).toEqual(numbers.map((_, index) => index));
          } else {
            expect(end).toMatchObject({
              id: "chatcmpl-1",
              choices: [{ index: 0, delta: { refusal: WHY }, finish_reason: "content_filter" }],
            });
            expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
          }
        }
      }
    },
  );

  it("arguments of a call do not leave before they are checked", () => {
    const text = JSON.stringify({ path: "/tmp/notes", content: "AKIAIOSFODNN7EXAMPLE" });
    for (let at = 1; at < text.length; at++) {
      const body = blocked(partsOf("arguments", text, [at]), Infinity);
      expect(body).not.toContain("/tmp");
      expect(body).toContain(WHY);
    }
  });

  it("everything else leaves as it was sent", () => {
    for (const kind of TEXT_KINDS) {
      const text = JSON.stringify({ path: "/tmp/notes é", content: "nothing\nto find, AKIA" });
      const parts = partsOf(kind, text, [3, 20, 30]);
      const sent = receive(dialect, PROVIDER_STREAMS[source]?.(parts).body.toString() ?? "");
      const seen = receive(dialect, blocked(parts, 7));
      expect(seen.texts).toEqual(sent.texts);
      expect(seen.repeated).toEqual(sent.repeated);
    }
  });
});
