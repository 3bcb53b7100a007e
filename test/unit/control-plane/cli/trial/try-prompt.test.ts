// What `gateway targets` shows: the request that the filter would send (test/envoy/prompt/values.test.ts has the same values), and scores.
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { score } from "../../../../../control-plane/cli/trial/score.ts";
import { openTrial, type Trial } from "../../../../../control-plane/cli/trial/try-prompt.ts";
import { filterConfig } from "../../../../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../../../../model/model.ts";
import type { PromptTarget } from "../../../../../model/prompts.ts";
import { modelServerOptions } from "../../../../../control-plane/model-server/options.ts";
import { closeNow, listenAt } from "../../../../../control-plane/model-server/unix-socket.ts";
import { modelServerInput } from "../../../../../control-plane/supervisor/model-server-input.ts";
import { GOLDEN_MODELS, modelOf, targetAt, host, DEMONSTRATION } from "../../../../envoy/models.ts";
import { newSocketPath } from "../../../../gateway/socket-path.ts";

const model = GOLDEN_MODELS["prompt-targets"] ?? modelOf([]);
const [weather, ticket] = model.prompt?.targets ?? [];
if (weather === undefined || ticket === undefined)
  throw new Error("the golden model has no target");

const FILTER = join(import.meta.dirname, "../../../../../build/filter.wasm");

/** A model server that selects the first target and finds these values, or selects none. */
let found: Record<string, unknown> | undefined;
const socketPath = newSocketPath();
const server = createServer((request, response) => {
  response.end(JSON.stringify(responseTo(request.url ?? "")));
});

function responseTo(path: string): object {
  const { name } = weather ?? { name: "" };
  if (path === "/guard") return { jailbreak_prob: 0, jailbreak_verdict: false };
  if (path === "/hallucination") return { missing: [] };
  if (path === "/v1/chat/completions") {
    const tool = { function: { name, arguments: JSON.stringify(found) } };
    return { choices: [{ message: { content: null, tool_calls: [tool] } }] };
  }
  if (path !== "/zeroshot") return {};
  const decision = found === undefined ? "none" : "target";
  return { predicted_class: name, scores: { [name]: 0.9 }, decision, candidates: [] };
}

beforeAll(() => listenAt(server, socketPath));
afterAll(() => closeNow(server));

async function tryTargets(
  targets: PromptTarget[],
  values: Record<string, unknown> | undefined,
  text = "How warm is it?",
): Promise<Trial> {
  if (model.prompt === undefined) throw new Error("the golden model has no prompt");
  found = values;
  const prompt = { ...model.prompt, targets };
  const attempt = await openTrial({ model, prompt }, { socketPath, filterFile: FILTER });
  return attempt(text);
}

/** The request for the values, or the parameter that keeps it from being sent. */
async function requestFor(values: Record<string, unknown>, target = weather) {
  const { request, wrong } = await tryTargets(target === undefined ? [] : [target], values);
  return request ?? { wrong };
}

describe("the request of a target", () => {
  it.each([
    ["%2e%2e%2f", "%252e%252e%252f"],
    ["a;b=c", "a%3Bb%3Dc"],
    ["{days}", "%7Bdays%7D"],
    ["it's (so)*!", "it%27s%20%28so%29%2A%21"],
    ["\u202eevil", "%E2%80%AEevil"],
  ])("%j stays in its segment", async (city, encoded) => {
    const url = `https://weather.example.com/v1/weather/${encoded}?units=metric&days=1`;
    expect(await requestFor({ city })).toMatchObject({ method: "GET", url });
  });

  const REFUSED = ["..", ".", "", "a\r\nb", "a\u0000", "x".repeat(2049)];

  it.each(["../../admin", "a/b", "a\\b", ...REFUSED])("%j is rejected", async (city) => {
    expect(await requestFor({ city })).toEqual({ wrong: "city" });
  });

  it("the request of a target accepts slashes if the parameter allows them, and rejects a way out", async () => {
    const parameters = weather.parameters.map((one) => ({ ...one, allowsSlashes: true as const }));
    const requestOf = (city: string) => requestFor({ city }, { ...weather, parameters });
    const url = "https://weather.example.com/v1/weather/a%2Fb%5Cc?units=metric&days=1";
    expect(await requestOf("a/b\\c")).toMatchObject({ url });
    for (const city of [...REFUSED, "a/../b", "..\\a", "/a", "a/", "a//b"])
      expect(await requestOf(city), city).toEqual({ wrong: "city" });
  });

  it("the request of a target shows the names of secrets, never their values", async () => {
    const { headers } = (await requestFor({ city: "Oslo" })) as { headers: object };
    expect(headers).toEqual({
      accept: "application/json",
      authorization: "Bearer $WEATHER_KEY",
    });
  });

  it("the request of a target has a JSON body for POST, with the conversation for the default target", async () => {
    const base = { method: "POST", url: "http://desk.internal/tickets" };
    const chosen = { ...ticket, name: weather.name, isDefault: false };
    expect(await requestFor({ stranger: 1 }, chosen)).toMatchObject({ ...base, body: "{}" });
    const trial = await tryTargets(
      [weather, { ...ticket, isDefault: true }],
      undefined,
      'my "words"',
    );
    const body = '{"messages":[{"role":"user","content":"my \\"words\\""}]}';
    expect(trial).toMatchObject({ decision: "default", target: ticket.name, arguments: {} });
    expect(trial.request).toMatchObject({ ...base, body });
  });
});

it("a report counts targets, values, false fires and time", () => {
  const trial = (target: string | null, values = {}, more = {}) => ({
    prompt: "",
    scores: {},
    decision: "target" as const,
    target,
    arguments: values,
    ...more,
  });
  const parameters = { n: 1, city: "Rome" };
  const found = score([
    {
      expected: { prompt: "a", target: "x", parameters },
      trial: trial("x", { n: 1, city: "rome" }),
      milliseconds: 10,
    },
    {
      expected: { prompt: "b", target: "x", parameters },
      trial: trial("y", { n: 1 }),
      milliseconds: 20,
    },
    {
      expected: { prompt: "c", target: "x", parameters },
      trial: trial("x", { n: 2 }, { question: "I still need the city." }),
      milliseconds: 30,
    },
    { expected: { prompt: "d", target: "none" }, trial: trial(null), milliseconds: 1 },
    { expected: { prompt: "e", target: "none" }, trial: trial("x"), milliseconds: 2 },
  ]);
  expect(found).toMatchObject({ cases: 5, right: 3, withParameters: 3, rightParameters: 1 });
  expect(found.values).toEqual({ expected: 6, found: 3, right: 2 });
  expect(found).toMatchObject({ questions: 1, none: 2, falseFires: 1 });
  expect(found.milliseconds).toEqual({ p50: 10, p99: 30 });
  expect(found.confusion).toEqual({ x: { x: 2, y: 1 }, none: { none: 1, x: 1 } });
  expect(found.wrong.map(({ chosen }) => chosen)).toEqual(["y", "x"]);
  expect(found.wrongParameters).toEqual([
    { prompt: "c", expected: '{"n":1,"city":"Rome"}', found: '{"n":2}, asks for more' },
  ]);
});

describe("what the model server is started with", () => {
  const prompt = model.prompt;
  const egress = { url: "http://127.0.0.1:2", socketPath: "/run/egress.sock" };
  const inputOf = (changes: Partial<GatewayModel> = {}) => {
    if (prompt === undefined) throw new Error("the golden model has no prompt");
    return modelServerInput({ ...model, ...changes }, prompt, egress);
  };

  it("the model server's start fits its options, without the default target", () => {
    const options = modelServerOptions.parse(inputOf());
    expect(options.targets.map(({ name }) => name)).toEqual(["weather"]);
    expect(options.selection.threshold).toBe(0.6);
    expect(options.extraction).toMatchObject({
      egress: "http://127.0.0.1:2",
      socket: "/run/egress.sock",
      model: "openai/gpt-4o",
    });
  });

  it("the model server's start leaves time for the rest of a prompt when a language model does not answer", () => {
    const limit = (timeoutMs: number) => {
      if (prompt === undefined) throw new Error("the golden model has no prompt");
      const ingress = { ...model.ingress, timeoutMs };
      return modelServerInput({ ...model, ingress }, prompt, undefined).extraction?.timeout_ms;
    };
    expect([30_000, 10_000, 1, 600_000].map(limit)).toEqual([18_000, 6000, 100, 18_000]);
  });

  it("the model server has a guard only if configured, since a guard needs its model", () => {
    if (prompt === undefined) throw new Error("the golden model has no prompt");
    const { guard: _guard, ...unguarded } = prompt;
    expect(modelServerInput(model, prompt, undefined).guard).toBeDefined();
    expect(modelServerInput(model, unguarded, undefined).guard).toBeUndefined();
  });

  it("the model server calls no language model if only the demonstration is configured", () => {
    expect(
      modelServerOptions.parse(inputOf({ targets: [DEMONSTRATION] })).extraction.egress,
    ).toBeUndefined();
  });
});

it("the filter document holds a target as a tool, and no choice if only a default is left", () => {
  const tool = JSON.parse(filterConfig(model).prompt?.targets[0]?.tool ?? "") as object;
  expect(tool).toEqual({
    type: "function",
    function: {
      name: "weather",
      description: "Weather at a place",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string", description: "City" },
          days: { type: "integer", description: "Days", default: 1 },
        },
        required: ["city"],
      },
    },
  });
  const { prompt } = model;
  if (prompt === undefined) throw new Error("the golden model has no prompt");
  const left = { ...prompt, targets: prompt.targets.filter(({ isDefault }) => isDefault) };
  const alone = modelOf([targetAt("a/b", host("a.example.com"))], { prompt: left });
  expect(filterConfig(alone).prompt?.zeroshot_members).toBeUndefined();
});
