// A provider that compresses in spite of being asked not to. With `decompress_responses` the client and the filter see plain
// bytes, as they come; without it such a response is an error, or a failed attempt.
import type { ServerResponse } from "node:http";
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzipSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { ask, errorOf } from "./ask.ts";
import type { TwoDialects } from "./ask.ts";
import { startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../providers/scripted-provider.ts";
import { dialectOfPath, ERROR_TEXT, responseParts, RESPONSE_TEXT } from "../providers/wire.ts";
import { readComplete, readStream } from "./read-response.ts";
import type { ResponseKind } from "../providers/wire.ts";
import { RETRY } from "./models.ts";
import { chat, startTwoDialects } from "../gateway/two-dialects.ts";

const ALGORITHMS = {
  gzip: {
    stream: createGzip,
    flush: constants.Z_SYNC_FLUSH,
    whole: gzipSync,
  },
  br: {
    stream: createBrotliCompress,
    flush: constants.BROTLI_OPERATION_FLUSH,
    whole: brotliCompressSync,
  },
};
type Algorithm = keyof typeof ALGORITHMS;

/**
 * `cut`: the last third of the compressed bytes is missing; `lie`: they are not compressed at all; `bomb`: they become more
 * than a hundred times as many, of which Envoy decompresses only the beginning.
 */
type Damage = "none" | "cut" | "lie" | "bomb";
const DAMAGES: Damage[] = ["cut", "lie", "bomb"];

/** What the prompt asks of the provider. */
interface Wanted {
  algorithm: Algorithm;
  kind: ResponseKind;
  damage: Damage;
}

const order = ({ algorithm, kind, damage }: Wanted): string => `${algorithm} ${kind} ${damage}`;

function orderOf(body: string): Wanted {
  const [, algorithm, kind, damage] = /"(gzip|br) (\w+) (\w+)"/.exec(body) ?? [];
  return { algorithm, kind, damage } as Wanted;
}

let provider: ScriptedProvider;
/** With `decompress_responses`, and without it. */
let gateway: Gateway;
let strict: Gateway;
/** Lets the provider send its next event; a test calls it when the one before has arrived. */
let next: () => void = () => undefined;
let isPaced = false;

/** The same with a megabyte of spaces where they mean nothing: in front of the last brace, after the first event. */
function inflated(parts: string[]): string {
  const spaces = " ".repeat(1 << 20);
  const [only = ""] = parts;
  if (parts.length === 1) return only.slice(0, -1) + spaces + only.slice(-1);
  return [only, `:${spaces}\n\n`, ...parts.slice(1)].join("");
}

async function sendCompressed(
  response: ServerResponse,
  parts: string[],
  algorithm: Algorithm,
): Promise<void> {
  const { stream: create, flush } = ALGORITHMS[algorithm];
  const stream = create();
  stream.pipe(response);
  for (const part of parts) {
    stream.write(part);
    stream.flush(flush);
    if (isPaced) await new Promise<void>((resolve) => (next = resolve));
  }
  stream.end();
}

beforeAll(async () => {
  provider = await startProvider(async (response, { body, path }) => {
    const { algorithm, kind, damage } = orderOf(body);
    const { status, type, parts } = responseParts(dialectOfPath(path), kind);
    response.writeHead(status, {
      "content-type": type,
      "content-encoding": algorithm,
      // As proxies in front of providers write it; it would forbid Envoy to decompress.
      "cache-control": "no-cache, no-transform",
    });
    const whole = ALGORITHMS[algorithm].whole(parts.join(""));
    if (damage === "bomb") response.end(ALGORITHMS[algorithm].whole(inflated(parts)));
    else if (damage === "none") await sendCompressed(response, parts, algorithm);
    else if (damage === "cut") response.end(whole.subarray(0, (whole.length * 2) / 3));
    else response.end(parts.join(""));
  });
  const start = (decompresses: boolean): Promise<Gateway> =>
    startTwoDialects(provider.port, {
      adapt(model) {
        model.targetSets = [
          { name: "set/chat", targets: [0], retry: RETRY },
          { name: "set/messages", targets: [1], retry: RETRY },
        ];
        if (decompresses) for (const target of model.targets) target.decompresses = true;
        for (const listener of [model.ingress, model.egress]) listener.timeoutMs = 5_000;
      },
    });
  gateway = await start(true);
  strict = await start(false);
});
afterAll(() => Promise.all([gateway.stop(), strict.stop(), provider.stop()]));

const MODELS: Record<string, Record<TwoDialects, string>> = {
  "one target": { chat: "openai/gpt-4o", messages: "anthropic/claude" },
  "several targets": { chat: "set/chat", messages: "set/messages" },
};
const DIALECTS: TwoDialects[] = ["chat", "messages"];

const PLACES = Object.keys(MODELS).flatMap((targets) =>
  DIALECTS.flatMap((client) => DIALECTS.map((at) => ({ targets, client, at }))),
);

describe.concurrent.each(PLACES)(
  "$targets, $client client, provider of $at",
  ({ targets, client, at }) => {
    const isForeign = client !== at;

    async function get(wanted: Wanted): Promise<Response> {
      const model = MODELS[targets]?.[at] ?? "";
      const stream = wanted.kind === "stream";
      const signal = AbortSignal.timeout(4000);
      const response = await ask(gateway, client, { model, text: order(wanted), stream, signal });
      expect(response.headers.get("content-encoding")).toBeNull();
      return response;
    }

    describe.each(Object.keys(ALGORITHMS) as Algorithm[])("%s", (algorithm) => {
      it("a complete answer arrives plain", async () => {
        const response = await get({ algorithm, kind: "complete", damage: "none" });
        expect(response.status).toBe(200);
        expect(readComplete(client, await response.text())).toBe(RESPONSE_TEXT);
      });

      it("a stream arrives plain, to its end", async () => {
        const response = await get({ algorithm, kind: "stream", damage: "none" });
        expect(response.status).toBe(200);
        const seen = readStream(client, await response.text());
        expect(seen).toEqual({ text: RESPONSE_TEXT, isFinished: true });
      });

      it("an error arrives plain", async () => {
        const response = await get({ algorithm, kind: "error", damage: "none" });
        expect(response.status).toBe(500);
        expect((await errorOf(response, client)).message).toBe(ERROR_TEXT);
      });

      it.each(DAMAGES)("a damaged complete answer is no answer: %s", async (damage) => {
        const response = await get({ algorithm, kind: "complete", damage });
        expect(response.status).toBe(502);
        expect((await errorOf(response, client)).message).toMatch(
          isForeign ? /is empty|not valid JSON/ : /sent a corrupt compressed response/,
        );
      });

      it.each(DAMAGES)("a damaged stream does not end well: %s", async (damage) => {
        const response = await get({ algorithm, kind: "stream", damage });
        if (isForeign && response.status !== 200) {
          // Nothing could be read of it.
          expect(response.status).toBe(502);
          expect((await errorOf(response, client)).message).toMatch(/ended the stream/);
          return;
        }
        if (!isForeign) {
          // The headers are gone: all that can be done is not to end well.
          await expect(response.text()).rejects.toThrow();
          return;
        }
        const seen = readStream(client, await response.text());
        expect(seen.isFinished).toBe(false);
        expect(seen.error?.message).toMatch(/ended the stream/);
      });

      it.each(DAMAGES)("a damaged error stays an error: %s", async (damage) => {
        const response = await get({ algorithm, kind: "error", damage });
        expect(response.status).toBe(500);
        await errorOf(response, client);
      });

      it.each(["complete", "stream"] as const)(
        "a response without decompress_responses is an error that names the key: %s",
        async (kind) => {
          const model = MODELS[targets]?.[at] ?? "";
          const text = order({ algorithm, kind, damage: "none" });
          const response = await ask(strict, client, { model, text, stream: kind === "stream" });
          expect(response.status).toBe(502);
          expect(response.headers.get("content-encoding")).toBeNull();
          const { message } = await errorOf(response, client);
          expect(message).toContain(`(content-encoding: ${algorithm})`);
          expect(message).toContain("set decompress_responses: true");
        },
      );

      it("an error without decompress_responses keeps its status", async () => {
        const model = MODELS[targets]?.[at] ?? "";
        const text = order({ algorithm, kind: "error", damage: "none" });
        const response = await ask(strict, client, { model, text });
        expect(response.status).toBe(500);
        expect(response.headers.get("content-encoding")).toBeNull();
        expect((await errorOf(response, client)).message).toContain(
          "set decompress_responses: true",
        );
      });
    });
  },
);

describe.each(Object.keys(ALGORITHMS) as Algorithm[])("%s", (algorithm) => {
  it("each event of a stream arrives before the next is sent", async () => {
    isPaced = true;
    const { parts } = responseParts("chat", "stream");
    const messages = [
      { role: "user", content: order({ algorithm, kind: "stream", damage: "none" }) },
    ];
    const response = await chat(gateway, { messages, stream: true });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (const part of parts) {
      expect((await reader?.read())?.value).toBe(part);
      next();
    }
    expect((await reader?.read())?.done).toBe(true);
    isPaced = false;
  });
});
