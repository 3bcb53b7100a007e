// The trace of a tool call: from the client's request over the model server to the API of the prompt target.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHttpReceiver } from "../../otlp/receiver.ts";
import type { Receiver } from "../../otlp/receiver.ts";
import { attributesOf, childrenOf, exportAtOnce } from "../../otlp/trace-of.ts";
import { startWithTools } from "./set-up.ts";
import type { WithTools } from "./set-up.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

let receiver: Receiver;
let all: WithTools;
beforeAll(async () => {
  receiver = await startHttpReceiver();
  all = await startWithTools({
    config: `tracing: { endpoint: "http://127.0.0.1:${String(receiver.port)}", protocol: http }\n`,
    adaptBootstrap: exportAtOnce,
  });
});
afterAll(async () => {
  await all.stop();
  await receiver.stop();
  expect(receiver.violations).toEqual([]);
});

it("a tool call continues the client's trace, and so does the API that it calls", async () => {
  const id = randomUUID();
  const response = await fetch(all.url, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ "x-request-id": id, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "weather", arguments: { city: "Oslo" } },
    }),
  });
  await response.text();
  const spans = () => receiver.spans.filter(({ traceId }) => traceId === TRACE);
  // The request, its attempt, the call of the target, the step of the API, and its attempt.
  await expect.poll(() => spans().length).toBe(5);
  const names: string[] = [];
  let [span] = spans().filter(({ parentId }) => parentId === "00f067aa0ba902b7");
  for (; span !== undefined; [span] = childrenOf(span, spans())) names.push(span.name);
  expect(names.slice(0, 4)).toEqual([
    "POST /mcp",
    "attempt /mcp",
    "execute_tool weather",
    "prompt API",
  ]);
  const call = spans().find(({ name }) => name === "execute_tool weather");
  expect(call && attributesOf(call, "gen_ai.")).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
  });
  const [sent] = all.api.of(id);
  expect(sent?.headers["traceparent"]).toContain(TRACE);
});
