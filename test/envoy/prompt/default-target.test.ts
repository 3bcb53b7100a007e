// The default target, which takes the prompts that match no other.
import { describe, expect, it } from "vitest";
import { api, modelServer, say, setUp, startWithPrompts } from "./set-up.ts";

setUp();

describe("a default target takes the prompts that match no other", () => {
  const start = (entry: string) =>
    startWithPrompts({
      edit: (config) =>
        config.replace(
          "  - {name: plain,",
          `  - {name: rest, description: everything else, default: true, ${entry}}\n$&`,
        ),
    });
  const before = [
    { role: "user", content: "Good morning" },
    { role: "assistant", content: "Good morning!" },
  ];
  const conversation = [...before, { role: "user", content: 'hello "you"' }];

  it("a default target's API gets the conversation and the defaults, and its chat completion is the response", async () => {
    const gateway = await start(
      "parameters: [{name: level, description: level, type: int, default: 2}], endpoint: {name: api, path: /completion}, auto_llm_dispatch_on_response: false",
    );
    try {
      for (const stream of [false, true]) {
        const said = await say('hello "you"', { through: gateway, stream, before });
        expect(said.text).toBe('The application heard "hello "you"" \u{1f600}');
        expect(said.model).toBeUndefined();
        expect(said.metadata?.prompt_target).toEqual({ name: "rest", arguments: {}, status: 200 });
        const [call] = api.of(said.id);
        expect([call?.method, call?.headers["content-type"]]).toEqual(["POST", "application/json"]);
        expect(JSON.parse(call?.body ?? "")).toEqual({ messages: conversation, level: 2 });
        const zeroshot = modelServer.of(said.id).find(({ path }) => path === "/zeroshot");
        expect(zeroshot?.body).not.toContain('"rest"');
        // Another target still gets its own values only.
        const other = await say('@book {"guests": 2}', { through: gateway, stream });
        expect(JSON.parse(api.of(other.id)[0]?.body ?? "")).toEqual({ guests: 2, outside: false });
      }
    } finally {
      await gateway.stop();
    }
  });

  it("a language model answers from the API's response, a completion or not", async () => {
    for (const [path, context] of [
      ["/completion", 'The application heard "hello "you"" \u{1f600}'],
      ["/text", 'plain "text"\nä \u{1f600}'],
    ]) {
      const gateway = await start(`endpoint: {name: api, path: ${path}}`);
      try {
        const said = await say('hello "you"', { through: gateway, before });
        const last = { role: "user", content: `hello "you"\n\ncontext: ${context}` };
        expect(said.model?.messages).toEqual([...before, last]);
      } finally {
        await gateway.stop();
      }
    }
  });

  it("a default target by GET gets no conversation", async () => {
    const gateway = await start("endpoint: {name: api, path: /plain, http_method: GET}");
    try {
      const said = await say("hello", { through: gateway });
      expect(api.of(said.id)[0]).toMatchObject({ method: "GET", path: "/plain", body: "" });
    } finally {
      await gateway.stop();
    }
  });
});
