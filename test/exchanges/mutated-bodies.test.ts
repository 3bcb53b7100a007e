// Ten thousand damaged request bodies through the release filter: rejected or passed on, and never a trap.
import { beforeAll, describe, expect, it } from "vitest";
import type { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { compileCountingFilter, usedMemory } from "./counting-filter.ts";
import { hostFor } from "./host-ring.ts";
import { readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { mutate } from "./mutate.ts";
import { eventFrame } from "../providers/event-stream.ts";
import { random } from "./random.ts";
import type { Random } from "./random.ts";

const COUNT = 10_000;
/** In the message of a failure: the same seed makes the same bodies. */
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);
const EXPECTED = new Set([200, 400, 404, 413, 415]);
const CHAT_RESPONSE = Buffer.from(
  '{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"é"},"finish_reason":"stop"}]}',
);
const CHAT_STREAM = Buffer.from(
  'data: {"choices":[{"delta":{"content":"é"}}]}\n\ndata: {"choices":[],"usage":{"a":1}}\n\ndata: [DONE]\n\n',
);

const MESSAGES_RESPONSE = Buffer.from(
  '{"id":"1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"é"}],"stop_reason":"end_turn","usage":{}}',
);
const MESSAGES_EVENTS = [
  {
    type: "message_start",
    message: { id: "1", role: "assistant", model: "m", content: [], usage: {} },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "é" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
  { type: "message_stop" },
];
const MESSAGES_STREAM = Buffer.from(
  MESSAGES_EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(
    "",
  ),
);
const INVOKE_STREAM = Buffer.concat(
  MESSAGES_EVENTS.map((event) =>
    eventFrame("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") }),
  ),
);

const GEMINI_RESPONSE = Buffer.from(
  '{"candidates":[{"content":{"role":"model","parts":[{"text":"é"}]},"finishReason":"STOP"}],"usageMetadata":{}}',
);
const GEMINI_STREAM = Buffer.from(`data: ${GEMINI_RESPONSE.toString()}\r\n\r\n`);

const CONVERSE_RESPONSE = Buffer.from(
  '{"output":{"message":{"role":"assistant","content":[{"text":"é"}]}},"stopReason":"end_turn","usage":{}}',
);
const CONVERSE_STREAM = Buffer.concat([
  eventFrame("messageStart", { role: "assistant" }),
  eventFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "é" } }),
  eventFrame("contentBlockStop", { contentBlockIndex: 0 }),
  eventFrame("messageStop", { stopReason: "end_turn" }),
  eventFrame("metadata", { usage: {} }),
]);

const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "é", annotations: [] }],
    },
  ],
};
const RESPONSES_RESPONSE = Buffer.from(JSON.stringify(RESPONSE));
const RESPONSES_STREAM = Buffer.from(
  [
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
    { type: "response.completed", response: RESPONSE },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join(""),
);

const EVENTS = "text/event-stream";
const FRAMES = "application/vnd.amazon.eventstream";

/** What a provider sends for a path, and its content type: of the first row whose end the path has. */
const PROVIDERS: readonly [end: string, whole: Buffer, stream: Buffer, type: string][] = [
  ["/v1/messages", MESSAGES_RESPONSE, MESSAGES_STREAM, EVENTS],
  ["awPredict", MESSAGES_RESPONSE, MESSAGES_STREAM, EVENTS],
  ["/responses", RESPONSES_RESPONSE, RESPONSES_STREAM, EVENTS],
  ["/invoke", MESSAGES_RESPONSE, INVOKE_STREAM, FRAMES],
  ["/invoke-with-response-stream", MESSAGES_RESPONSE, INVOKE_STREAM, FRAMES],
  [":generateContent", GEMINI_RESPONSE, GEMINI_STREAM, EVENTS],
  [":streamGenerateContent?alt=sse", GEMINI_RESPONSE, GEMINI_STREAM, EVENTS],
  ["/converse", CONVERSE_RESPONSE, CONVERSE_STREAM, FRAMES],
  ["/converse-stream", CONVERSE_RESPONSE, CONVERSE_STREAM, FRAMES],
  ["", CHAT_RESPONSE, CHAT_STREAM, EVENTS],
];
/** Ends of paths that ask for a stream, where the body does not. */
const STREAMED = /-stream$|:stream/;

const cases = readCases().filter(
  ({ clientRequest: { body }, configuration }) =>
    // A stranger's body is not read, and the heads here know no key.
    body.length > 0 && body.length < 3000 && !configuration.includes("api_keys"),
);
const hosts = new Map<string, FilterHost>();

beforeAll(async () => {
  for (const one of cases) hosts.set(one.name, await hostFor(one));
});

const TOKENS = [
  `{`,
  `}`,
  `[`,
  `]`,
  `"`,
  `:`,
  `,`,
  `\\`,
  `\\u`,
  `\\ud83d`,
  `\\u0000`,
  `null`,
  `true`,
  `1e999`,
  `-`,
  `"model"`,
  `"model":null,`,
  `"stream":true,`,
  `"stream_options":{"include_usage":true},`,
  `"system":[],`,
  `"messages":[],`,
  `\u0000`,
  `\xff`,
  `\xc3`,
  `\xed\xa0\x80`,
  `\xf4\x90\x80\x80`,
  ` `,
  `\n`,
  `[[[[[[[[`,
].map((text) => Buffer.from(text, "latin1"));

function send(
  { name, clientRequest }: ExchangeCase,
  body: Buffer,
  chance: Random,
  to = hosts,
): ExchangeResult {
  const host = to.get(name);
  if (host === undefined) throw new Error(`${name} has no host`);
  const path =
    ["/v1/messages", "/v1/responses"].find((own) => clientRequest.path.startsWith(own)) ??
    "/v1/chat/completions";
  const middle = chance.below(body.length + 1);
  return host.exchange({
    listener: chance.below(4) === 0 && path !== "/v1/messages" ? "ingress" : "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["host", "localhost"],
        ["content-length", String(body.length)],
      ],
      body: [body.subarray(0, middle), body.subarray(middle)],
    },
    upstream: ({ path: asked, body: sent }) => {
      const isStream = STREAMED.test(asked) || asksForStream(sent);
      const [, whole = CHAT_RESPONSE, stream = CHAT_STREAM, type = EVENTS] =
        PROVIDERS.find(([end]) => asked.endsWith(end)) ?? [];
      const response = isStream ? stream : whole;
      const cut = chance.below(response.length);
      return {
        status: 200,
        headers: [["content-type", isStream ? type : "application/json"]],
        chunks: [response.subarray(0, cut), response.subarray(cut)],
      };
    },
  });
}

/** By its own member: a tool's schema may have one of that name. */
function asksForStream(body: Uint8Array): boolean {
  try {
    return (JSON.parse(utf8(body)) as { stream?: unknown }).stream === true;
  } catch {
    return false;
  }
}

describe("damaged bodies", () => {
  it(`${COUNT} of them are rejected or passed on (FUZZ_SEED=${SEED})`, () => {
    const chance = random(SEED);
    const seen = new Map<number, number>();
    for (let index = 0; index < COUNT; index++) {
      const one = chance.of(cases);
      const body = mutate(
        one.clientRequest.body,
        chance.of(cases).clientRequest.body,
        TOKENS,
        chance,
      );
      const { response, sent, faults, trap } = send(one, body, chance);
      const about = `body ${index}: ${JSON.stringify(body.toString("latin1"))}`;
      expect(trap, about).toBeUndefined();
      expect(faults, about).toEqual([]);
      if (!EXPECTED.has(response.status))
        expect.fail(`${response.status} ${utf8(response.body)} for ${about}`);
      // What passes is JSON for everybody else too, and nothing is invented: one request, or one fault.
      for (const request of sent)
        expect(() => JSON.parse(utf8(request.body)) as unknown, about).not.toThrow();
      if (sent.length === 0) expect(() => JSON.parse(utf8(response.body)) as unknown).not.toThrow();
      expect(sent.length, about).toBe(response.status === 200 ? 1 : 0);
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    }
    // The mutations are neither too mild nor too wild.
    expect(seen.get(200)).toBeGreaterThan(COUNT / 20);
    expect(seen.get(400)).toBeGreaterThan(COUNT / 10);
  });

  // The size of a VM does not show a leak: it doubles when the largest bodies first come together.
  it(`memory that is used does not grow with the number of requests (FUZZ_SEED=${SEED})`, async () => {
    const filter = compileCountingFilter();
    const counting = new Map<string, FilterHost>();
    for (const one of cases)
      counting.set(one.name, await hostFor(one, false, false, undefined, filter));
    const round = (): number => {
      const chance = random(SEED);
      for (let index = 0; index < 1000; index++) {
        const one = chance.of(cases);
        const other = chance.of(cases).clientRequest.body;
        send(one, mutate(one.clientRequest.body, other, TOKENS, chance), chance, counting);
      }
      return [...new Set(counting.values())].reduce((sum, { logs }) => sum + usedMemory(logs), 0);
    };
    // Buffers that the VM keeps get as large as the largest body.
    for (let first = 0; first < 3; first++) round();
    const before = round();
    expect(before).toBeGreaterThan(0);
    for (let more = 0; more < 3; more++) expect(round()).toBe(before);
  });
});

/** Strict: throws for what is no UTF-8. */
function utf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
