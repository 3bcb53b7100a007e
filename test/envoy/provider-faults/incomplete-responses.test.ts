// A provider that breaks off in the middle of a response that the filter holds for translation: nothing of it has left yet,
// so the client gets an error in its own dialect instead.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import { ask, errorOf } from "../ask.ts";
import type { TwoDialects } from "../ask.ts";
import { startProvider } from "../../providers/scripted-provider.ts";
import type { ScriptedProvider } from "../../providers/scripted-provider.ts";
import { dialectOfPath, responseParts } from "../../providers/wire.ts";
import { RETRY } from "../models.ts";
import { startTwoDialects } from "../../gateway/two-dialects.ts";

/** More than the filter holds of a response, whatever `limits.request_body` is (docs/overload.md). */
const LARGE_BYTES = 45_000_000;

let provider: ScriptedProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startProvider((response, { body, path }) => {
    const [, kind, fault] = /"(complete|error) (\w+)"/.exec(body) ?? [];
    const { status, type, parts } = responseParts(
      dialectOfPath(path),
      kind === "error" ? "error" : "complete",
    );
    const whole = Buffer.from(parts.join(""));
    const isTooLong = fault === "short" ? { "content-length": whole.length + 10 } : {};
    response.writeHead(status, { "content-type": type, ...isTooLong });
    if (fault === "large") response.end(Buffer.alloc(LARGE_BYTES, " "));
    else if (fault === "short") response.write(whole, () => response.socket?.end());
    else
      response.write(whole.subarray(0, -10), () => {
        if (fault === "reset") response.socket?.resetAndDestroy();
      });
  });
  gateway = await startTwoDialects(provider.port, {
    adapt(model) {
      model.targetSets = [
        { name: "set/chat", targets: [0], retry: { ...RETRY, attempts: 2 } },
        { name: "set/messages", targets: [1], retry: { ...RETRY, attempts: 2 } },
      ];
      // Envoy holds 1 MiB more: of an error the filter then sees more than its own 1 MiB, however much comes at once.
      model.limits.requestBodyBytes = 1_200_000;
      for (const listener of [model.ingress, model.egress]) listener.timeoutMs = 3_000;
    },
  });
});
afterAll(() => Promise.all([gateway.stop(), provider.stop()]));

const FAULTS = [
  // Where there are several targets, the filter that holds the response is one that the router is still waiting for.
  { fault: "reset", status: 502, message: /closed the connection/ },
  { fault: "short", status: 502, message: /closed the connection/ },
  { fault: "hang", status: 504, message: /timeout/ },
  { fault: "large", status: 502, message: /larger than|too large/ },
];
/** The filter reads no error that is larger, and keeps the provider's status. */
const LARGE_ERROR = { status: 500, message: /more than 1 MiB/ };
const MODELS: Record<string, Record<TwoDialects, string>> = {
  "one target": { chat: "openai/gpt-4o", messages: "anthropic/claude" },
  "several targets": { chat: "set/chat", messages: "set/messages" },
};
const PLACES = Object.keys(MODELS).flatMap((targets) => [
  { targets, client: "chat" as const, at: "messages" as const },
  { targets, client: "messages" as const, at: "chat" as const },
]);

describe.concurrent.each(PLACES)("$targets, $client client", ({ targets, client, at }) => {
  describe.each(FAULTS)("$fault", (expected) => {
    const { fault } = expected;
    it.each([
      ["a complete answer", "complete", false],
      ["an error", "error", false],
      ["an error where a stream was asked for", "error", true],
    ])("%s", async (_, kind, stream) => {
      const model = MODELS[targets]?.[at] ?? "";
      const id = `${targets}-${client}-${fault}-${kind}-${String(stream)}`.replace(" ", "-");
      const response = await ask(gateway, client, {
        model,
        stream,
        text: `${kind} ${fault}`,
        headers: { "x-request-id": id },
        signal: AbortSignal.timeout(60_000),
      });
      const { status, message } = fault === "large" && kind === "error" ? LARGE_ERROR : expected;
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get(client === "chat" ? "x-request-id" : "request-id")).toBe(id);
      expect((await errorOf(response, client)).message).toMatch(message);
    });
  });
});
