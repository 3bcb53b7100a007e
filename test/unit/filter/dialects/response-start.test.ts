// Which responses count as an answer, and which 200 is a failure: every case whole, split at every byte and byte by byte.
import { beforeAll, describe, expect, it } from "vitest";
import { FirstTokenLook } from "../first-token.ts";
import type { Verdict } from "../first-token.ts";

let look: FirstTokenLook;

beforeAll(async () => {
  look = await FirstTokenLook.load();
});

const chunk = (delta: string, finish = "null"): string =>
  `data: {"id":"c","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;
const event = (data: string): string => `event: e\ndata: ${data}\n\n`;

const ROLE = chunk('{"role":"assistant","content":"","refusal":null,"tool_calls":[]}');
const START = event('{"type":"message_start","message":{"content":[]}}');
const PING = event('{"type": "ping"}');
const block = (kind: string): string =>
  event(`{"type":"content_block_start","index":0,"content_block":{"type":"${kind}"}}`);
const ERROR = '{"error":{"message":"no","type":"server_error"}}';
const OVERLOADED = '{"type":"error","error":{"type":"overloaded_error","message":"no"}}';

/** The prompt's results, and those of the asynchronous filter. */
const AZURE = [
  '{"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}',
  '{"id":"","model":"","choices":[{"index":0,"finish_reason":null,"content_filter_offsets":{"check_offset":1},"content_filter_results":{}}]}',
]
  .map((data) => `data: ${data}\n\n`)
  .join("");

const CREATED = event(
  '{"type":"response.created","response":{"status":"in_progress","error":null}}',
);
const BEGINNINGS = [
  CREATED,
  event('{"type":"response.in_progress","response":{"error":null}}'),
  event('{"type":"keepalive","sequence_number":2}'),
  event('{"type":"response.output_item.added","item":{"type":"reasoning"}}'),
  event('{"type":"response.reasoning_summary_part.added"}'),
  event('{"type":"response.output_item.added","item":{"type":"message"}}'),
  event('{"type":"response.content_part.added"}'),
].join("");

interface Case {
  name: string;
  dialect?: "messages" | "responses";
  /** Not asked for a stream. */
  complete?: true;
  response: string;
  verdict: Verdict;
  status?: number;
}

const CASES: Case[] = [
  { name: "text", response: ROLE + chunk('{"content":"a"}'), verdict: "answers" },
  { name: "reasoning", response: chunk('{"reasoning_content":"a"}'), verdict: "answers" },
  { name: "a tool call", response: chunk('{"tool_calls":[{"index":0}]}'), verdict: "answers" },
  { name: "a refusal", response: chunk('{"refusal":"no"}'), verdict: "answers" },
  { name: "an end without text", response: ROLE + chunk("{}", '"stop"'), verdict: "answers" },
  {
    name: "a choice without a delta",
    response: 'data: {"choices":[{"text":"a"}]}\n\n',
    verdict: "answers",
  },
  {
    name: "a choice with a whole message",
    response: 'data: {"choices":[{"message":{"content":"a"}}]}\n\n',
    verdict: "answers",
  },
  {
    name: "Azure's results of its content filter, then text",
    response: AZURE + ROLE + chunk('{"content":"a"}'),
    verdict: "answers",
  },
  {
    name: "Azure's results of its content filter, then an error",
    response: `${AZURE}${ROLE}data: ${ERROR}\n\n`,
    verdict: "fails",
    status: 500,
  },
  {
    name: "CR line ends",
    response: chunk('{"content":"a"}').replaceAll("\n", "\r"),
    verdict: "answers",
  },
  {
    name: "no choice yet, then text",
    response: `data: {"choices":[]}\n\n${chunk('{"content":"a"}')}`,
    verdict: "answers",
  },
  { name: "only a role", response: ROLE, verdict: "fails", status: 502 },
  {
    name: "a role and the end mark",
    response: `${ROLE}data: [DONE]\n\n`,
    verdict: "fails",
    status: 502,
  },
  { name: "only a comment", response: ": ping\n\n", verdict: "fails", status: 502 },
  { name: "nothing", response: "", verdict: "fails", status: 502 },
  { name: "white space", response: "\n\n \n", verdict: "fails", status: 502 },
  { name: "an error", response: `data: ${ERROR}\n\n`, verdict: "fails", status: 500 },
  {
    name: "an error without its empty line",
    response: `data: ${ERROR}`,
    verdict: "fails",
    status: 500,
  },
  {
    name: "a role, then an error",
    response: `${ROLE}data: ${ERROR}\n\n`,
    verdict: "fails",
    status: 500,
  },
  {
    name: "an event called error",
    response: `event: error\ndata: oops\n\n`,
    verdict: "fails",
    status: 502,
  },
  {
    name: "an error that is null",
    response: 'data: {"error":null,"choices":[{"delta":{"content":"a"}}]}\n\n',
    verdict: "answers",
  },
  { name: "an event that is no JSON", response: "data: {oops\n\n", verdict: "fails", status: 502 },
  { name: "a page", response: "<html>oops</html>", verdict: "fails", status: 502 },
  { name: "JSON that is an error", response: ERROR, verdict: "fails", status: 500 },
  { name: "JSON that is none", response: '{"id":"c","choices":[]}', verdict: "answers" },
  {
    name: "messages: text",
    dialect: "messages",
    response: START + block("text") + PING + event('{"type":"content_block_delta","delta":{}}'),
    verdict: "answers",
  },
  {
    name: "messages: a tool",
    dialect: "messages",
    response: START + block("tool_use"),
    verdict: "answers",
  },
  {
    name: "messages: encrypted reasoning",
    dialect: "messages",
    response: START + block("redacted_thinking"),
    verdict: "answers",
  },
  {
    name: "messages: an end",
    dialect: "messages",
    response: START + event('{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'),
    verdict: "answers",
  },
  {
    name: "messages: no content",
    dialect: "messages",
    response: START + PING + block("thinking"),
    verdict: "fails",
    status: 502,
  },
  {
    name: "messages: an error",
    dialect: "messages",
    response: `event: error\ndata: ${OVERLOADED}\n\n`,
    verdict: "fails",
    status: 529,
  },
  {
    name: "messages: a start, then an error",
    dialect: "messages",
    response: START + PING + event(OVERLOADED),
    verdict: "fails",
    status: 529,
  },
  { name: "complete", complete: true, response: ' {"id":"c","choices":[]}', verdict: "answers" },
  {
    name: "responses: beginnings, then a text",
    dialect: "responses",
    response: BEGINNINGS + event('{"type":"response.output_text.delta","delta":"a"}'),
    verdict: "answers",
  },
  {
    name: "responses: a call",
    dialect: "responses",
    response:
      CREATED + event('{"type":"response.output_item.added","item":{"type":"function_call"}}'),
    verdict: "answers",
  },
  {
    name: "responses: an end without items",
    dialect: "responses",
    response: CREATED + event('{"type":"response.completed","response":{"error":null}}'),
    verdict: "answers",
  },
  {
    name: "responses: beginnings and no end",
    dialect: "responses",
    response: BEGINNINGS,
    verdict: "fails",
    status: 502,
  },
  {
    name: "responses: response.failed",
    dialect: "responses",
    response:
      BEGINNINGS +
      event(
        '{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"no"}}}',
      ),
    verdict: "fails",
    status: 429,
  },
  {
    name: "responses: a flat error",
    dialect: "responses",
    response: CREATED + event('{"type":"error","code":"server_error","message":"no"}'),
    verdict: "fails",
    status: 500,
  },
  {
    name: "complete, an error",
    complete: true,
    response: `\n { "error" : {"message":"no","code":429}}`,
    verdict: "fails",
    status: 429,
  },
  {
    name: "complete, an error as a text",
    complete: true,
    response: '{"error":"no"}',
    verdict: "fails",
    status: 502,
  },
  {
    name: "complete, no error",
    complete: true,
    response: '{"error": null, "id":"c"}',
    verdict: "answers",
  },
  {
    name: "complete, an error of messages",
    complete: true,
    dialect: "messages",
    response: OVERLOADED,
    verdict: "fails",
    status: 529,
  },
  { name: "complete, a page", complete: true, response: "<html>", verdict: "fails", status: 502 },
  {
    name: "complete, a stream for everybody",
    complete: true,
    response: chunk('{"content":"a"}'),
    verdict: "answers",
  },
  {
    name: "complete, broken off",
    complete: true,
    response: '{"choices":[{"message":{"cont',
    verdict: "fails",
    status: 502,
  },
];

describe.each(CASES)("$name", ({ dialect, complete, response, verdict, status = 0 }) => {
  const bytes = Buffer.from(response);
  const read = (...pieces: Uint8Array[]): [Verdict, number] => {
    const looked = look.read(
      dialect ?? "chat",
      complete !== true,
      pieces.map((piece) => ({ bytes: piece })),
    );
    return [looked.verdict, looked.status];
  };

  it("the start is recognised whole, split at every byte, and byte by byte", () => {
    const expected: [Verdict, number] = [verdict, status];
    expect(read(bytes)).toEqual(expected);
    for (let at = 1; at < bytes.length; at++)
      expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
    const single = [...bytes.keys()].map((at) => bytes.subarray(at, at + 1));
    expect(read(...single, Buffer.alloc(0))).toEqual(expected);
  });
});

describe("held bytes are released", () => {
  const after = (...times: number[]) =>
    look.read(
      "messages",
      true,
      times.map((at) => ({ bytes: Buffer.from(PING), at })),
      true,
    );

  it("five seconds after the first event, with the next one", () => {
    expect(after(100, 101, 104).verdict).toBe("looks on");
    expect(after(100, 101, 105)).toMatchObject({ verdict: "answers", pieces: 3 });
  });

  it.each([1, 7])("a complete answer of more than 64 KiB, in %i pieces", (count) => {
    const half = Buffer.from(`{"choices":["${"x".repeat(65_536)}`);
    const size = Math.ceil(half.length / count);
    const pieces = Array.from({ length: count }, (_, index) => ({
      bytes: half.subarray(index * size, (index + 1) * size),
    }));
    expect(look.read("chat", false, pieces).verdict).toBe("answers");
  });

  it("held bytes are released when they are more than 64 KiB", () => {
    const comment = Buffer.from(`: ${"x".repeat(1000)}\n\n`);
    const { verdict, pieces } = look.read(
      "chat",
      true,
      Array.from({ length: 100 }, () => ({ bytes: comment })),
      true,
    );
    expect(verdict).toBe("answers");
    expect(pieces).toBe(Math.ceil(65_536 / comment.length));
  });
});
