// The session of a request, as its usage record, its span and the log of bodies have it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROPERTY_CONTENT } from "../../contract/content-record.ts";
import { PARENT_HEADERS, SESSION_HEADERS, SUBAGENT_HEADERS } from "../../contract/session.ts";
import { TRACE_SESSION, TRACE_SUBAGENT } from "../../contract/trace.ts";
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { compileFilter, FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type { UsageRecord } from "../../control-plane/usage/usage-line.ts";
import { agentRequest, TURNS } from "./agent-session.ts";
import { loadCase } from "./case.ts";
import { egressRequest } from "./egress-request.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const compiled = compileFilter(FILTER);

const CONFIGURATION = `version: v0.1.0
observability: {content: {max_bytes: 1MiB}}
tracing: {endpoint: "http://collector.test:4317"}
sessions: {header: X-Thread}
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY, base_url: "http://openai.test/v1"}
`;

type Json = Record<string, unknown>;
type Headers = readonly (readonly [name: string, value: string])[];

const MODEL = "openai/gpt-4o";
const user = (content: unknown): Json => ({ role: "user", content });
const system = (content: unknown): Json => ({ role: "system", content });
const answer = (content: unknown): Json => ({ role: "assistant", content });
const chat = (messages: Json[], more: Json = {}): Json => ({ model: MODEL, messages, ...more });
const messages = (list: Json[], more: Json = {}): Json => ({
  model: MODEL,
  max_tokens: 9,
  messages: list,
  ...more,
});
const responses = (input: unknown, more: Json = {}): Json => ({ model: MODEL, input, ...more });

const PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

async function load(configuration = CONFIGURATION): Promise<FilterHost> {
  const { filterConfig, environment } = loadCase({ name: "sessions", configuration });
  return FilterHost.load(await compiled, { filterConfig, environment });
}

const host = load();

async function send(path: string, body: unknown, headers: Headers = [], on = host) {
  const { faults, filterState } = (await on).exchange({
    ...egressRequest(path, headers, body),
    upstream: () => ({ status: 500, headers: [], chunks: [] }),
  });
  expect(faults).toEqual([]);
  const read = (name: string) => JSON.parse(filterState.get(name) ?? "{}") as Json;
  return {
    record: read(PROPERTY_USAGE) as unknown as UsageRecord,
    content: read(PROPERTY_CONTENT),
    traced: (name: string) => filterState.get(name),
  };
}

const sessionOf = async (path: string, body: unknown, headers: Headers = []) =>
  (await send(path, body, headers)).record.session;

describe("the agent of a session", () => {
  it.each([
    [
      "the first word of the user-agent",
      "claude-cli/2.1.330 (external, cli)",
      "claude-cli/2.1.330",
    ],
    ["at most 64 bytes of it", "a".repeat(300), "a".repeat(64)],
    ["escaped", 'a"b\\c', 'a"b\\c'],
    ["cut before what is no visible ASCII", "agent\u00e9", "agent"],
    ["absent after a space", " agent", undefined],
    ["absent without a text", "", undefined],
  ])("the agent of a session is %s", async (_, value, agent) => {
    const headers: Headers = [
      ["x-session-id", "s"],
      ["user-agent", value],
    ];
    expect((await send(PATHS.chat, chat([user("Hi")]), headers)).record.agent).toBe(agent);
  });

  it("the agent of a session is absent where the request has no user-agent", async () => {
    const { record } = await send(PATHS.chat, chat([user("Hi")]));
    expect(record.session).toMatch(/^conv-/);
    expect(record.agent).toBeUndefined();
  });
});

describe("a session that the client names", () => {
  it.each(SESSION_HEADERS)("a named session is the value of %s", async (name) => {
    expect(await sessionOf(PATHS.chat, chat([user("Hi")]), [[name, "ses_1:a.b-C"]])).toBe(
      "ses_1:a.b-C",
    );
  });

  it("a named session is the value of the configured header before all others", async () => {
    const headers: Headers = [
      ["x-session-id", "known"],
      ["x-thread", "own"],
    ];
    expect(await sessionOf(PATHS.chat, chat([user("Hi")]), headers)).toBe("own");
  });

  const claude = (id: string) =>
    JSON.stringify({ device_id: "d", account_uuid: "", session_id: id });
  it.each([
    ["prompt_cache_key", PATHS.chat, chat([user("Hi")], { prompt_cache_key: "key-1" }), "key-1"],
    [
      "session_id of OpenRouter's clients",
      PATHS.chat,
      chat([user("Hi")], { session_id: "or-1" }),
      "or-1",
    ],
    [
      "metadata.user_id of Claude Code",
      PATHS.messages,
      messages([user("Hi")], { metadata: { user_id: claude("uuid-1") } }),
      "uuid-1",
    ],
    [
      "metadata.user_id of older ones",
      PATHS.messages,
      messages([user("Hi")], { metadata: { user_id: "user_1f_account_2f_session_uuid-2" } }),
      "uuid-2",
    ],
    ["a conversation's id", PATHS.responses, responses("Hi", { conversation: "conv_5" }), "conv_5"],
    [
      "a conversation's id in an object",
      PATHS.responses,
      responses("Hi", { conversation: { id: "conv_6" } }),
      "conv_6",
    ],
  ])("a named session is %s", async (_, path, body, expected) => {
    expect(await sessionOf(path, body)).toBe(expected);
  });

  it("a named session is the header's and not the body's if there are both", async () => {
    const body = chat([user("Hi")], { prompt_cache_key: "key-1" });
    expect(await sessionOf(PATHS.chat, body, [["session-id", "head"]])).toBe("head");
  });

  it.each([
    ["long", "x".repeat(70_000)],
    ["with a quote", 'a"b'],
    ["with other letters", "gespräch"],
    ["with blanks", "my session"],
  ])("a named session is a hash of an id that is %s", async (_, id) => {
    const headers: Headers = [["x-session-id", Buffer.from(id).toString("latin1")]];
    const session = await sessionOf(PATHS.chat, chat([user("Hi")]), headers);
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(await sessionOf(PATHS.chat, chat([user("Other")]), headers)).toBe(session);
  });

  it.each([
    ["a number", { prompt_cache_key: 5, session_id: null, metadata: [1], conversation: 7 }],
    ["an empty text", { prompt_cache_key: "", session_id: "", metadata: { user_id: "" } }],
    ["a mark alone", { metadata: { user_id: "_session_" } }],
    ["a mark of JSON alone", { metadata: { user_id: '{"session_id":"' } }],
  ])("a named session is not %s", async (_, more) => {
    expect(await sessionOf(PATHS.messages, messages([user("Hi")], more))).toMatch(
      /^conv-[0-9a-f]{16}$/,
    );
  });

  it("a named session is in the span and the log of bodies", async () => {
    const { traced, content } = await send(PATHS.chat, chat([user("Hi")]), [
      ["x-session-id", "ses_7"],
      ["x-claude-code-agent-id", "agent-7"],
    ]);
    expect(traced(TRACE_SESSION)).toBe("ses_7");
    expect(traced(TRACE_SUBAGENT)).toBe("agent-7");
    expect(content).toMatchObject({ session: "ses_7" });
  });
});

describe("what marks a request of a session", () => {
  it.each([
    ...SUBAGENT_HEADERS.map((name) => [name, "subagent"] as const),
    ...PARENT_HEADERS.map((name) => [name, "parent"] as const),
    ["x-claude-code-request-class", "purpose"] as const,
  ])("the mark of a request is the value of %s, as its %s", async (name, member) => {
    const { record } = await send(PATHS.chat, chat([user("Hi")]), [[name, "value-1"]]);
    expect(record[member]).toBe("value-1");
  });

  it("the mark of a request is the thread's source in Codex's metadata of a turn", async () => {
    const metadata = JSON.stringify({ session_id: "a", thread_source: "thread_title", turn: 1 });
    const { record } = await send(PATHS.responses, responses("Hi"), [
      ["x-codex-turn-metadata", metadata],
    ]);
    expect(record.purpose).toBe("thread_title");
  });

  it("the mark of a request is nothing for metadata without a source, or that are cut", async () => {
    for (const value of ["{", '{"thread_source":"', '{"turn":1}']) {
      const { record } = await send(PATHS.responses, responses("Hi"), [
        ["x-codex-turn-metadata", value],
      ]);
      expect(record.purpose).toBeUndefined();
    }
  });
});

describe("a session that no client names", () => {
  it.each(["chat", "messages", "responses"] as const)(
    "a derived session is the same in all turns of an agent's conversation in the format %s",
    async (format) => {
      const found = new Set<string | undefined>();
      for (let turn = 0; turn < TURNS; turn++) {
        const { path, body } = agentRequest(format, MODEL, turn);
        const { metadata: _, prompt_cache_key: __, ...unnamed } = body;
        found.add(await sessionOf(path, unnamed));
      }
      expect([...found]).toEqual([expect.stringMatching(/^conv-[0-9a-f]{16}$/)]);
    },
  );

  const opening = [system("You are an agent."), user("<environment/>"), user("Fix the bug.")];
  it.each([
    ["another system prompt", [system("You are a critic."), ...opening.slice(1)]],
    ["another text before the answer", [...opening.slice(0, 2), user("Write a test.")]],
    ["one text more before the answer", [...opening, user("Please.")]],
    ["a longer text", [...opening.slice(0, 2), user("Fix the bug. ")]],
    [
      "another end of a long text",
      [...opening.slice(0, 2), user(`Fix the bug.${"x".repeat(5000)}a`)],
    ],
    [
      "another end of a long text again",
      [...opening.slice(0, 2), user(`Fix the bug.${"x".repeat(5000)}b`)],
    ],
  ])("a derived session differs for %s", async (_, list) => {
    const rest = [answer("Done."), user("Thanks.")];
    expect(await sessionOf(PATHS.chat, chat([...list, ...rest]))).not.toBe(
      await sessionOf(PATHS.chat, chat([...opening, ...rest])),
    );
  });

  it("a derived session stays when cache marks wander and texts become blocks", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const first = messages([user([{ type: "text", text: "Fix the bug.", ...mark }])], {
      system: [{ type: "text", text: "You are an agent.", ...mark }],
    });
    const later = messages(
      [user("Fix the bug."), answer("Done."), user([{ type: "text", text: "Next", ...mark }])],
      { system: "You are an agent." },
    );
    expect(await sessionOf(PATHS.messages, later)).toBe(await sessionOf(PATHS.messages, first));
  });

  it("a derived session is the same for a text and its item in the Responses API", async () => {
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] };
    expect(await sessionOf(PATHS.responses, responses([item]))).toBe(
      await sessionOf(PATHS.responses, responses("Hi")),
    );
  });

  it("a derived session differs for each key of clients", async () => {
    const keyed = load(
      CONFIGURATION.replace(
        "sessions:",
        "listeners: {egress: {api_keys: [$ONE, $TWO]}}\nsessions:",
      ),
    );
    const of = async (name: string) =>
      (
        await send(
          PATHS.chat,
          chat([user("Hi")]),
          [["authorization", `Bearer value-of-${name}`]],
          keyed,
        )
      ).record;
    const [one, two] = [await of("ONE"), await of("TWO")];
    expect(one.key).toBe("ONE");
    expect(one.session).not.toBe(two.session);
  });

  it.each([
    [
      "continues a stored response",
      PATHS.responses,
      responses("Hi", { previous_response_id: "resp_1" }),
    ],
    ["has no messages", PATHS.chat, { model: MODEL }],
    ["has an empty list", PATHS.chat, chat([])],
    ["has messages that are none", PATHS.chat, { model: MODEL, messages: [1, null, "a", []] }],
    ["has a list that is none", PATHS.chat, { model: MODEL, messages: {} }],
  ])("a derived session is missing if the request %s", async (_, path, body) => {
    expect(await sessionOf(path, body)).toBeUndefined();
  });
});

it("a session costs nothing if nothing needs it", () => {
  const configuration = `version: v0.1.0
llm_providers:
  - {model: groq/llama, access_key: $KEY}
`;
  const { filterConfig } = loadCase({ name: "plain", configuration });
  expect(filterConfig.sessions).toBeUndefined();
});
