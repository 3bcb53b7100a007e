// Traces of prompts: one trace has the request, each step, the call of the API, and the call of the model.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHttpReceiver } from "../../otlp/receiver.ts";
import type { Receiver } from "../../otlp/receiver.ts";
import { attributesOf, childrenOf, exportAtOnce, traceOf } from "../../otlp/trace-of.ts";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import { api, isOf, modelServer, say, setUp, startWithPrompts } from "./set-up.ts";

setUp();

const STEPS = ["guard", "embeddings", "zeroshot", "extraction", "hallucination", "API"];

let receiver: Receiver;
let traced: WithFakes;
/** Half of all requests are sampled. */
let half: WithFakes;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  const start = (settings: string) =>
    startWithPrompts({
      edit: (config) =>
        `${config}\ntracing: { endpoint: "http://127.0.0.1:${String(receiver.port)}", protocol: http${settings} }\n`,
      adaptBootstrap: exportAtOnce,
    });
  [traced, half] = await Promise.all([start(""), start(", random_sampling: 50")]);
});
afterAll(async () => {
  await Promise.all([traced.stop(), half.stop()]);
  await receiver.stop();
  expect(receiver.violations).toEqual([]);
});

it("each step is a child of the request, and the API and the model server continue the trace", async () => {
  const { id } = await say('@weather {"city": "Oslo"}', {
    through: traced,
    headers: { tracestate: "vendor=a" },
  });
  const { request, children, all } = await traceOf(receiver, id, 2 + 2 * STEPS.length);
  expect(request.name).toBe("chat gpt-4o");
  expect(request.attributes).toMatchObject({
    "gateway.listener": "ingress",
    "gateway.prompt_target": "weather",
    "gateway.guard": "passed",
  });
  expect(children.map(({ name }) => name)).toEqual([
    ...STEPS.map((step) => `prompt ${step}`),
    "attempt gpt-4o",
  ]);
  const calls = [...modelServer.requests, ...api.requests].filter(isOfRequest(id));
  expect(calls).toHaveLength(STEPS.length);
  for (const [at, call] of calls.entries()) {
    const [step] = children.filter(({ name }) => name === `prompt ${STEPS[at] ?? ""}`);
    const [attempt] = step === undefined ? [] : childrenOf(step, all);
    expect(call.headers["traceparent"]).toBe(`00-${request.traceId}-${attempt?.spanId ?? ""}-01`);
    expect(call.headers["tracestate"]).toBe("vendor=a");
    expect(call.headers["x-gateway-span"]).toBeUndefined();
    expect(call.headers["x-gateway-step"]).toBeUndefined();
  }
  const [asked] = traced.openai.requests.filter(isOf(id));
  expect(asked?.headers["traceparent"]).toBeUndefined();
});

it("values of a prompt are in no attribute", async () => {
  const { id } = await say('@weather {"city": "Reykjavik"}', { through: traced });
  const { all } = await traceOf(receiver, id, 2 + 2 * STEPS.length);
  for (const span of all)
    expect(Object.values(attributesOf(span, "")).join(" ")).not.toContain("Reykjavik");
});

it("a guard that blocks is a trace without an attempt", async () => {
  const { id } = await say("jailbreak @plain", { through: traced });
  const { request, children } = await traceOf(receiver, id, 3);
  expect(request.attributes["gateway.guard"]).toBe("blocked");
  expect(children.map(({ name }) => name)).toEqual(["prompt guard"]);
});

it("the steps are sampled as their request is", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 24; i++) ids.push((await say("@plain please", { through: half })).id);
  const last = await say("@plain please", { through: traced });
  await traceOf(receiver, last.id, 10);
  for (const id of ids) {
    const [call] = api.of(id);
    const [, traceId, , flags] = call?.headers["traceparent"]?.toString().split("-") ?? [];
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    await expect
      .poll(() => receiver.spans.filter((span) => span.traceId === traceId).length)
      .toBe(flags === "01" ? 10 : 0);
    const steps = spans.filter(({ name }) => name.startsWith("prompt "));
    expect(steps.map(({ parentId }) => spans.some(({ spanId }) => spanId === parentId))).toEqual(
      steps.map(() => true),
    );
  }
  const flags = ids.map((id) => api.of(id)[0]?.headers["traceparent"]?.toString().slice(-2));
  expect(new Set(flags)).toEqual(new Set(["00", "01"]));
});

it.each(["01", "00"])("the steps follow a client's flag (%s)", async (flag) => {
  const traceparent = `00-0af7651916cd43dd8448eb211c8031${flag}-b7ad6b7169203331-${flag}`;
  const { id } = await say("@plain please", { through: half, headers: { traceparent } });
  for (const { headers } of [...modelServer.of(id), ...api.of(id)])
    expect(headers["traceparent"]).toMatch(
      new RegExp(`^${traceparent.slice(0, 35)}-.{16}-${flag}$`),
    );
});

function isOfRequest(id: string) {
  return ({ headers }: { headers: Record<string, unknown> }) => headers["x-request-id"] === id;
}
