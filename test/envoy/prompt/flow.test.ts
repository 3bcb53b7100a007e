// Prompt targets and the guard through a real Envoy: every way that a prompt can take when all steps succeed.
import { describe, expect, it } from "vitest";
import { API_SECRET, GUARD_MESSAGE } from "./configuration.ts";
import {
  all,
  api,
  CHOICE,
  EXTRACTION,
  modelServer,
  PATHS,
  pathsOf,
  say,
  setUp,
  startWithPrompts,
  steps,
} from "./set-up.ts";

setUp();

describe.each([
  ["chat", false],
  ["chat", true],
  ["responses", false],
  ["responses", true],
] as const)("%s, stream: %s", (of, stream) => {
  const as = { api: of, stream };

  it("a jailbreak gets the configured words, and nothing reaches a provider", async () => {
    const said = await say("jailbreak @plain", as);
    expect(said.text).toBe(GUARD_MESSAGE);
    expect(said.response.headers.get("x-gateway-request-id")).toBe(said.id);
    expect(said.model).toBeUndefined();
    expect(said.metadata).toBeUndefined();
    expect(pathsOf(await steps(said.id, 1))).toEqual(["/guard"]);
    expect(modelServer.of(said.id)).toHaveLength(1);
  });

  it("a prompt for no target reaches the model unchanged", async () => {
    const said = await say("hello", as);
    expect(said.text).not.toBe("");
    expect(said.metadata).toBeUndefined();
    expect(said.model?.messages).toEqual([{ role: "user", content: "hello" }]);
    expect(pathsOf(await steps(said.id, 3))).toEqual(CHOICE);
  });

  it("a target without parameters: its path as given, its answer to the model", async () => {
    const said = await say("@plain please", as);
    const [call] = api.of(said.id);
    expect([call?.method, call?.path, call?.body]).toEqual(["GET", "/plain?a=b", ""]);
    const answer = JSON.stringify({ method: "GET", path: "/plain?a=b", body: "" });
    expect(said.model?.messages).toEqual([
      { role: "user", content: `@plain please\n\ncontext: ${answer}` },
    ]);
    expect(said.metadata?.prompt_target).toEqual({ name: "plain", arguments: {}, status: 200 });
    expect(said.text).not.toBe("");
    expect(pathsOf(await steps(said.id, 4))).toEqual([...CHOICE, "/plain?a=b"]);
  });

  it("GET: values in the path and the query, defaults, headers, the target's system prompt", async () => {
    const said = await say('@weather {"city": "São Paulo 1", "note": "a&b=c"}', as);
    const [call] = api.of(said.id);
    expect(call?.path).toBe("/weather/S%C3%A3o%20Paulo%201/now?units=metric&days=3&note=a%26b%3Dc");
    expect(call?.headers.authorization).toBe(`Bearer ${API_SECRET}`);
    expect(call?.headers.accept).toBe("text/weather");
    expect(call?.headers.host).toBe(`127.0.0.1:${api.port}`);
    const names = Object.keys(call?.headers ?? {});
    expect(names.filter((name) => /^x-(?:gateway|envoy|forwarded)/.test(name))).toEqual([]);
    expect(said.model?.messages[0]).toEqual({ role: "system", content: 'Be a "weather" person.' });
    expect(said.metadata?.prompt_target.arguments).toEqual({ city: "São Paulo 1", note: "a&b=c" });
    const lines = await steps(said.id, 6);
    expect(pathsOf(lines)).toEqual([...EXTRACTION, call?.path]);
    expect(lines.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(lines.map(({ authority }) => authority)).toEqual([
      ...Array<string>(5).fill("model_server"),
      `127.0.0.1:${api.port}`,
    ]);
    // The model server listens on a unix socket, which has no port.
    expect(lines.map(({ upstreamHost }) => upstreamHost)).toEqual([
      ...Array<string>(5).fill("127.0.0.1:0"),
      `127.0.0.1:${api.port}`,
    ]);
    for (const log of ["ingress", "llm"] as const) {
      const [line] = await all.gateway.waitForLog(log, ({ requestId }) => requestId === said.id);
      // The model speaks chat completions.
      const path = log === "ingress" ? PATHS[of] : PATHS.chat;
      expect([line?.path, line?.code]).toEqual([path, 200]);
    }
  });

  it("POST sends the values as a JSON body, and the API's response passes unchanged", async () => {
    const values = '{"guests": 4, "note": "by the \\"window\\"\\n"}';
    const said = await say(`@book ${values}`, as);
    const [call] = api.of(said.id);
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(call?.body ?? "")).toEqual({
      ...(JSON.parse(values) as object),
      outside: false,
    });
    expect(said.model).toBeUndefined();
    expect(JSON.parse(said.text)).toEqual({ method: "POST", path: "/book", body: call?.body });
    expect(said.metadata?.prompt_target.status).toBe(200);
  });

  it("a missing value is requested, and the next turn completes it", async () => {
    const first = await say("@weather please", as);
    expect(first.text).toBe('Could you tell me "city"?');
    expect(api.of(first.id)).toEqual([]);
    expect(first.model).toBeUndefined();
    const before = [
      { role: "user", content: "@weather please" },
      { role: "assistant", content: first.text },
    ];
    const second = await say('{"city": "Oslo"}', { ...as, before });
    expect(api.of(second.id)[0]?.path).toMatch(/^\/weather\/Oslo\/now/);
    expect(second.model?.messages).toHaveLength(4);
  });

  it("a language model chooses among candidates, asks, or declines", async () => {
    const chosen = await say('?plain,book @book {"guests": 2}', as);
    expect(JSON.parse(chosen.text)).toMatchObject({ path: "/book" });
    const tools = modelServer.of(chosen.id).find(({ path }) => path === "/v1/chat/completions");
    expect(tools?.body).toContain('"name":"plain"');
    const asked = await say('?plain,book say: Which "one"?', as);
    expect(asked.text).toBe('Which "one"?');
    const declined = await say("?plain,book neither", as);
    expect(declined.model?.messages).toEqual([{ role: "user", content: "?plain,book neither" }]);
  });

  it("text that is no JSON, and bytes that are no text", async () => {
    expect((await say("@quoted", as)).text).toBe('plain "text"\nä \u{1f600}');
    expect((await say("@bytes", as)).text).toMatch(/^a\ufffd\ufffdb\ufffd$/);
  });
});

it("egress asks no guard and no target", async () => {
  const said = await say("jailbreak @plain", { listener: "egress" });
  expect(said.model?.messages).toEqual([{ role: "user", content: "jailbreak @plain" }]);
  expect(modelServer.of(said.id)).toEqual([]);
});

const OWN_PROMPTS = { systemPrompt: "Of all.\n\nOwn.", ownSystemPrompt: "Own." };

it("a target's system prompt replaces the top-level one, and stands after the provider's own", async () => {
  const gateway = await startWithPrompts({
    edit: (config) => `${config}system_prompt: Of all.\n`,
    // The provider's prompt: startWithFakes configures none.
    adapt(model) {
      const [target] = model.targets;
      if (target !== undefined) Object.assign(target, OWN_PROMPTS);
    },
  });
  const systemOf = async (prompt: string) => {
    const { model } = await say(prompt, { through: gateway });
    return model?.messages.filter(({ role }) => role === "system").map(({ content }) => content);
  };
  try {
    const own = await systemOf('@weather {"city": "Oslo"}');
    expect(own?.join("\n\n")).toBe('Own.\n\nBe a "weather" person.');
    for (const prompt of ["@plain", "hello"])
      expect(await systemOf(prompt)).toEqual(["Of all.\n\nOwn."]);
  } finally {
    await gateway.stop();
  }
});
