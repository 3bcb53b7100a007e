// Faults that only Claude on Bedrock has, in frames and in AWS's errors, for a client of each dialect: alone, and with a healthy
// fallback of another provider.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../../gateway/gateway.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { chunkFrame, errorFrame, exceptionFrame } from "../../providers/event-stream.ts";
import { ask } from "../ask.ts";
import type { DialectName } from "../ask.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../../providers/scripted-provider.ts";
import { responseParts } from "../../providers/wire.ts";
import { startFaultyProvider } from "../../providers/scripts/faults.ts";
import { outcomeOf } from "./outcomes.ts";
import type { Outcome } from "./outcomes.ts";

/** The frames of a healthy stream. */
const FRAMES = responseParts("messages", "stream").parts.map((event) =>
  chunkFrame(/^data: (.*)$/m.exec(event)?.[1] ?? ""),
);
/** Those until the first token. */
const BEGUN = FRAMES.slice(0, 3);
const END = FRAMES.slice(3);
const frame = chunkFrame('{"type":"ping"}');
const broken = Buffer.concat([frame.subarray(0, -1), Buffer.of((frame.at(-1) ?? 0) ^ 1)]);

interface Row {
  fault: string;
  respond: (response: ServerResponse) => void;
  /** By how it ends, its status unless it is 200, and a part of its message. */
  alone: string;
  /** With a fallback; absent: a complete answer. */
  safe?: string;
}

function frames(...parts: Buffer[]): Row["respond"] {
  return (response) => {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    response.end(Buffer.concat(parts));
  };
}

function error(status: number, type: string, message: string): Row["respond"] {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type });
    response.end(JSON.stringify({ message }));
  };
}

const throttled = exceptionFrame("throttlingException", { message: "Too many tokens." });

const ROWS: Row[] = [
  { fault: "healthy", respond: frames(...FRAMES), alone: "answer" },
  { fault: "an exception first", respond: frames(throttled), alone: "error 429: Too many tokens" },
  {
    fault: "an exception before the first token",
    respond: frames(...BEGUN.slice(0, 1), throttled),
    alone: "event: Too many tokens",
  },
  {
    fault: "an exception later",
    respond: frames(...BEGUN, throttled),
    alone: "event: Too many tokens",
    safe: "event: Too many tokens",
  },
  {
    fault: "an error that the API does not define",
    respond: frames(errorFrame("InternalFailure", "It broke.")),
    alone: "error 502: It broke",
  },
  {
    fault: "a wrong checksum first",
    respond: frames(broken, ...FRAMES),
    alone: "error 502: broken event stream",
  },
  {
    fault: "a wrong checksum later",
    respond: frames(...BEGUN, broken, ...END),
    alone: "event: broken event stream",
    safe: "event: broken event stream",
  },
  {
    fault: "half a frame at the end",
    respond: frames(...BEGUN, frame.subarray(0, 30)),
    alone: "event: ended the event stream inside a frame",
    safe: "event: ended the event stream inside a frame",
  },
  {
    fault: "no message_stop",
    respond: frames(...BEGUN),
    alone: "event: ended the stream before its end",
    safe: "event: ended the stream before its end",
  },
  { fault: "no frame", respond: frames(), alone: "error 502: response is empty" },
  {
    fault: "JSON instead of a stream",
    respond(response) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"message":"not ready"}');
    },
    alone: "error 502: not ready",
  },
  {
    fault: "ModelTimeoutException",
    respond: error(408, "ModelTimeoutException", "too slow"),
    alone: "error 504: too slow",
  },
  {
    fault: "ModelErrorException",
    respond: error(424, "ModelErrorException", "it failed"),
    alone: "error 502: it failed",
  },
  {
    fault: "ThrottlingException",
    respond: error(429, "ThrottlingException:http://internal/", "slow down"),
    alone: "error 429: slow down",
  },
  {
    fault: "ValidationException",
    respond: error(400, "ValidationException", "invalid beta flag"),
    alone: "error 400: invalid beta flag",
    safe: "error 400: invalid beta flag",
  },
];
const DIALECTS: DialectName[] = ["chat", "messages", "responses"];

let gateway: Gateway;
const providers: ScriptedProvider[] = [];

beforeAll(async () => {
  const healthy = await startFaultyProvider();
  providers.push(healthy);
  const entries: string[] = [];
  // A separate provider for each: failures in a row have an address left out.
  for (const [index, { respond }] of ROWS.entries()) {
    const provider = await startProvider(respond);
    providers.push(provider);
    const place = `access_key: $KEY, region: eu-central-1, base_url: "http://127.0.0.1:${String(provider.port)}"`;
    entries.push(
      `{ model: bedrock/anthropic.alone-${String(index)}, ${place} }`,
      `{ model: bedrock/anthropic.safe-${String(index)}, ${place}, fallbacks: [vllm/healthy] }`,
    );
  }
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: vllm/healthy, base_url: "http://127.0.0.1:${String(healthy.port)}/healthy" }
${entries.map((entry) => `  - ${entry}`).join("\n")}
`,
    environment: { KEY: "bedrock-key" },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(providers.map((provider) => provider.stop()));
});

function expectOutcome({ how, status, message }: Outcome, expected: string): void {
  const [, wantedHow, wantedStatus = "200", words = ""] =
    /^(\w+)(?: (\d{3}))?(?:: (.*))?$/.exec(expected) ?? [];
  expect({ how, status }).toEqual({ how: wantedHow, status: Number(wantedStatus) });
  expect(message).toContain(words);
}

describe.each(ROWS.map((row, index) => ({ ...row, index })))("$fault", (row) => {
  it.each(DIALECTS)("a stream with the fault has the outcome for a %s client", async (client) => {
    const response = async (kind: string): Promise<Outcome> => {
      const model = `bedrock/anthropic.${kind}-${String(row.index)}`;
      return outcomeOf(await ask(gateway, client, { model, stream: true }), client, true);
    };
    expectOutcome(await response("alone"), row.alone);
    expectOutcome(await response("safe"), row.safe ?? "answer");
  });
});
