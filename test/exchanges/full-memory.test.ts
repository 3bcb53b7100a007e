// Requests and streams that together want more memory than a VM has: those that are too much get an error of their dialect, all
// others go on, and nothing traps. The host ends a VM at 1 GiB, as Envoy does.
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import type { ExchangeInput, ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const MIB = 1024 ** 2;
const CONFIG = `
llm_providers:
  - {model: vllm/chat, base_url: http://chat.test/v1}
  - {model: vllm/sturdy, base_url: http://chat.test/v1, fallbacks: [vllm/chat, anthropic/claude]}
  - {model: anthropic/claude, base_url: http://messages.test, access_key: $KEY}
`;
const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"word"}}]}\n\n';
const LAST =
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** @param held_memory as in the filter's configuration; absent: as in production */
async function start(held_memory?: number): Promise<FilterHost> {
  const environment = { KEY: "key" };
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return FilterHost.load(await compileFilter(FILTER), {
    filterConfig: {
      ...filterConfig(result.model),
      ...(held_memory === undefined ? {} : { held_memory }),
    },
    environment,
  });
}

type Dialect = "chat" | "messages";
const PATHS = { chat: "/v1/chat/completions", messages: "/v1/messages" };

function ask(
  model: string,
  dialect: Dialect,
  upstream: ExchangeInput["upstream"],
  more: { stream?: boolean; text?: string } = {},
): ExchangeInput {
  const body = {
    model,
    max_tokens: 10,
    stream: more.stream ?? true,
    messages: [{ role: "user", content: more.text ?? "hi" }],
  };
  return {
    listener: "egress",
    request: {
      method: "POST",
      path: PATHS[dialect],
      headers: [["content-type", "application/json"]],
      body: Buffer.from(JSON.stringify(body)),
    },
    ...(upstream === undefined ? {} : { upstream }),
  };
}

function streamOf(chunks: Uint8Array[]): ExchangeInput["upstream"] {
  return () => ({
    status: 200,
    headers: [["content-type", "text/event-stream"]],
    chunks,
    emptyEnd: true,
  });
}

/** A stream of ordinary events, as many as a hog has pieces. */
const ordinary = (count: number): ExchangeInput["upstream"] =>
  streamOf([...Array<Buffer>(count).fill(Buffer.from(EVENT)), Buffer.from(LAST)]);

/** An event of many pieces, after a small one if the response `hasBegun`. */
function hog(size: number, hasBegun = true): ExchangeInput["upstream"] {
  const piece = Buffer.alloc(MIB, 0x61);
  return streamOf([
    ...(hasBegun ? [Buffer.from(EVENT)] : []),
    Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"'),
    ...Array<Buffer>(Math.ceil(size / MIB)).fill(piece),
    Buffer.from('"}}]}\n\n'),
    Buffer.from(LAST),
  ]);
}

function text({ response }: ExchangeResult): string {
  return Buffer.from(response.body.subarray(-600)).toString("latin1");
}

function expectNoFaults(results: ExchangeResult[]): void {
  expect(results.flatMap(({ faults }) => faults)).toEqual([]);
}

describe("events that are held", () => {
  it.each([
    ["in production", undefined],
    ["without a share, up to the end of the VM", 999_999_999],
  ])("%s: who holds too much ends with an error, and nobody else", async (_, share) => {
    const host = await start(share);
    const hogs = Array.from({ length: 40 }, () => ask("chat", "messages", hog(30 * MIB)));
    const others = (["chat", "messages"] as const).map((dialect) =>
      ask("chat", dialect, ordinary(30)),
    );
    const results = host.interleave([...others, ...hogs]);
    expectNoFaults(results);
    const [chat, messages, ...ends] = results.map(text);
    expect(chat).toMatch(/\[DONE\]\s*$/);
    expect(messages).toMatch(/"type":"message_stop"/);
    const whole = ends.filter((end) => end.includes('"type":"message_stop"'));
    const failed = ends.filter((end) =>
      /^event: error\ndata: .*"overloaded_error".*no memory left for this response/m.test(end),
    );
    expect(whole.length + failed.length).toBe(hogs.length);
    expect(failed.length).toBeGreaterThan(10);
    expect(whole.length).toBeGreaterThan(2);
    // What they held is free again.
    const next = host.interleave(
      Array.from({ length: 3 }, () => ask("chat", "messages", hog(30 * MIB))),
    );
    expectNoFaults(next);
    for (const result of next) expect(text(result)).toMatch(/"type":"message_stop"/);
  });

  it("end with a status while nothing has been sent: 503 and retry-after", async () => {
    const host = await start();
    const hogs = Array.from({ length: 20 }, () => ask("chat", "messages", hog(30 * MIB, false)));
    const results = host.interleave(hogs);
    expectNoFaults(results);
    const refused = results.filter(({ response }) => response.status === 503);
    expect(refused.length).toBeGreaterThan(5);
    for (const result of refused) {
      expect(result.response.headers).toContainEqual(["retry-after", "2"]);
      expect(text(result)).toMatch(/"overloaded_error".*no memory left for this response/);
    }
  });
});

describe("a stream that is only observed", () => {
  it("a stream that is only observed passes, however much memory others hold", async () => {
    const host = await start();
    const hogs = Array.from({ length: 20 }, () => ask("chat", "messages", hog(30 * MIB)));
    const observed = Array.from({ length: 5 }, () => ask("chat", "chat", hog(30 * MIB)));
    const results = host.interleave([...hogs, ...observed]);
    expectNoFaults(results);
    for (const result of results.slice(hogs.length)) {
      expect(result.response.body.length).toBeGreaterThan(30 * MIB);
      expect(text(result)).toMatch(/\[DONE\]\s*$/);
    }
  });
});

describe("a new request", () => {
  let host: FilterHost;
  beforeEach(async () => {
    host = await start(100_000);
  });

  const ANSWER = Buffer.from(
    '{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}',
  );

  /** Each request comes while those before it wait for their provider, and is kept with its body. */
  function askInTurn(count: number, dialect: Dialect): ExchangeResult[] {
    const results: ExchangeResult[] = [];
    const upstream: ExchangeInput["upstream"] = () => {
      if (count > 1) results.push(...askInTurn(count - 1, dialect));
      return { status: 200, headers: [["content-type", "application/json"]], chunks: [ANSWER] };
    };
    const input = ask("sturdy", dialect, upstream, { stream: false, text: "x".repeat(15_000) });
    return [host.exchange(input), ...results];
  }

  it.each(["chat", "messages"] as const)(
    "a new request is rejected with retry-after when waiting ones hold twice the share: %s",
    (dialect) => {
      const results = askInTurn(30, dialect);
      expectNoFaults(results);
      const refused = results.at(-1);
      expect(results.slice(0, -1).map(({ response }) => response.status)).toEqual(
        results.slice(1).map(() => 200),
      );
      expect(results.length).toBeGreaterThan(5);
      expect(refused?.response.status).toBe(503);
      expect(refused?.response.headers).toContainEqual(["retry-after", "2"]);
      const body = JSON.parse(Buffer.from(refused?.response.body ?? []).toString()) as {
        error: { type: string; message: string };
      };
      expect(body.error.type).toBe("overloaded_error");
      expect(body.error.message).toMatch(/no memory left for this request; try again in 2 seconds/);
      const [next] = askInTurn(1, dialect);
      expect(next?.response.status).toBe(200);
      expect(host.logs.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/out of memory; requests refused or responses not read whole: 1 /),
      );
    },
  );

  it("a new request is served however many have been before: counted bytes are free again", () => {
    for (let count = 0; count < 500; count++) {
      const model = count % 2 === 0 ? "sturdy" : "chat";
      const dialect = count % 3 === 0 ? "messages" : "chat";
      const size = 1 + (count % 7) * 40_000;
      const { response, faults } = host.exchange(
        ask(model, dialect, ordinary(2), { text: "x".repeat(size) }),
      );
      expect(faults).toEqual([]);
      expect(response.status).toBe(200);
    }
  });
});

describe("bodies that take the VM to its end", () => {
  /** Two bytes for each value: the tape is eight times the body, up to 64 MB. */
  const values = (size: number): Buffer => {
    const start = `{"model":"sturdy","messages":[{"role":"user","content":"hi"}],"x":[`;
    return Buffer.concat([Buffer.from(start), Buffer.alloc(size, "0,"), Buffer.from("0]}")]);
  };
  const messages = (size: number): Buffer => {
    const one = '{"role":"user","content":"x"},{"role":"assistant","content":"y"},';
    const start = `{"model":"sturdy","max_tokens":5,"messages":[`;
    return Buffer.concat([
      Buffer.from(start),
      Buffer.alloc(Math.floor(size / one.length) * one.length, one),
      Buffer.from('{"role":"user","content":"hi"}]}'),
    ]);
  };
  const models = (size: number): Buffer =>
    Buffer.concat([
      Buffer.from("{"),
      Buffer.alloc(Math.floor(size / 17) * 17, '"model":"sturdy",'),
      Buffer.from('"messages":[]}'),
    ]);
  const escapes = (size: number): Buffer =>
    Buffer.concat([
      Buffer.from('{"model":"sturdy","max_tokens":5,"messages":[{"role":"user","content":"'),
      Buffer.alloc(Math.floor(size / 6) * 6, "\\u0001"),
      Buffer.from('"}]}'),
    ]);
  const SHAPES = { values, messages, models, escapes };

  it.each(Object.entries(SHAPES))("%s, while others hold all that they may", async (_, make) => {
    const host = await start();
    const hogs = Array.from({ length: 8 }, () => ask("chat", "messages", hog(30 * MIB)));
    const large = [8, 31].flatMap((size) =>
      (["chat", "messages"] as const).map((dialect): ExchangeInput => {
        const body = make(size * MIB);
        const input = ask("sturdy", dialect, () => ({
          status: 500,
          headers: [["content-type", "application/json"]],
          chunks: [Buffer.from("{}")],
        }));
        // In pieces, so that the hogs are at their largest when the last one comes.
        const at = Array.from({ length: 29 }, (_unused, piece) => body.subarray(piece, piece + 1));
        return { ...input, request: { ...input.request, body: [...at, body.subarray(29)] } };
      }),
    );
    const results = host.interleave([...hogs, ...large]);
    expectNoFaults(results);
    for (const { response } of results.slice(hogs.length))
      expect([400, 500, 503]).toContain(response.status);
  });
});
