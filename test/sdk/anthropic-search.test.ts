// The official OpenAI SDK searches with Claude: the pages come back to Claude in the next turn as they were, which the strict fake
// verifies, and to no other provider.
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import type { FakeProvider } from "../providers/server.ts";

const KEYS = { ANTHROPIC_API_KEY: "sk-ant-1", OTHER_API_KEY: "sk-ant-2", GEMINI_API_KEY: "AIza" };
const QUERIES = ['weather "Oslo"', "é 😀 \\ \n"];
const SAID = "It is sunny.";

let claude: FakeProvider;
let other: FakeProvider;
let gemini: FakeProvider;
let gateway: Gateway;
let openai: OpenAI;

beforeAll(async () => {
  claude = await startAnthropicProvider({
    key: KEYS.ANTHROPIC_API_KEY,
    runsSearches: true,
    brain: ({ asked, canSearch }) => ({
      text: SAID,
      searches: canSearch && asked.length === 1 ? QUERIES : [],
    }),
  });
  other = await startAnthropicProvider({ key: KEYS.OTHER_API_KEY });
  gemini = await startGeminiProvider({ key: KEYS.GEMINI_API_KEY });
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: anthropic/claude-sonnet-4-5, access_key: $ANTHROPIC_API_KEY, base_url: "${claude.url}" }
  - { model: other/claude-sonnet-4-5, provider_interface: anthropic, access_key: $OTHER_API_KEY, base_url: "${other.url}" }
  - { model: gemini/gemini-3-pro, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}" }
`,
    environment: KEYS,
  });
  openai = new OpenAI({ apiKey: "any-key", maxRetries: 0, baseURL: `${gateway.url}/v1` });
});
afterAll(async () => {
  const providers = [claude, other, gemini];
  expect(providers.flatMap((one) => one.violations())).toEqual([]);
  await gateway.stop();
  await Promise.all(providers.map((one) => one.stop()));
});

/** The blocks of the model's turn in the last request. */
function blocksSent({ requests }: FakeProvider): object[] | string | undefined {
  const { messages } = requests.at(-1)?.json as {
    messages: { role: string; content: object[] | string }[];
  };
  return messages.find(({ role }) => role === "assistant")?.content;
}

const SEARCHED = [
  ...QUERIES.flatMap((query) => [
    {
      type: "server_tool_use",
      id: expect.stringMatching(/^srvtoolu_/) as string,
      name: "web_search",
      input: { query },
      caller: { type: "direct" },
    },
    {
      type: "web_search_tool_result",
      tool_use_id: expect.stringMatching(/^srvtoolu_/) as string,
      content: [
        {
          type: "web_search_result",
          url: "https://weather.example/?a=1&b=2",
          title: `A page about "${query}"`,
          encrypted_content: expect.any(String) as string,
          page_age: null,
        },
      ],
      caller: { type: "direct" },
    },
  ]),
  { type: "text", text: SAID },
];

describe.each([
  ["complete", false],
  ["streamed", true],
] as const)("%s", (_, isStream) => {
  async function askTwice(model: string): Promise<string> {
    const ask = (
      name: string,
      input: OpenAI.Responses.ResponseInput,
    ): Promise<OpenAI.Responses.Response> => {
      const tools: OpenAI.Responses.Tool[] = [{ type: "web_search" }];
      const request = { model: name, input, tools, store: false };
      return isStream
        ? openai.responses.stream({ ...request, stream: true }).finalResponse()
        : openai.responses.create(request);
    };
    const user = { role: "user" as const, content: "Weather?" };
    const { output, output_text: text } = await ask("anthropic/claude-sonnet-4-5", [user]);
    expect(text).toBe(SAID);
    expect(output.filter(({ type }) => type === "web_search_call")).toHaveLength(2);
    const items = output as OpenAI.Responses.ResponseInputItem[];
    const second = await ask(model, [user, ...items, { role: "user", content: "And now?" }]);
    return second.output_text;
  }

  async function chatTwice(model: string): Promise<string | null | undefined> {
    const ask = (
      name: string,
      messages: ChatCompletionMessageParam[],
    ): Promise<OpenAI.ChatCompletion> => {
      const request = { model: name, messages, web_search_options: {} };
      return isStream
        ? openai.chat.completions.stream(request).finalChatCompletion()
        : openai.chat.completions.create(request);
    };
    const user = { role: "user" as const, content: "Weather?" };
    const { choices } = await ask("anthropic/claude-sonnet-4-5", [user]);
    expect(choices[0]?.message.content).toBe(SAID);
    const message = choices[0]?.message as ChatCompletionMessageParam;
    const second = await ask(model, [user, message, { role: "user", content: "And now?" }]);
    return second.choices[0]?.message.content;
  }

  it.each([
    ["responses", askTwice],
    ["chat completions", chatTwice],
  ] as const)("the OpenAI SDK, %s, returns the pages of Claude's search", async (_api, ask) => {
    expect(await ask("anthropic/claude-sonnet-4-5")).toBe(SAID);
    expect(blocksSent(claude)).toEqual(SEARCHED);
  });

  it.each([
    ["responses", askTwice],
    ["chat completions", chatTwice],
  ] as const)("the OpenAI SDK, %s, continues at other providers", async (_api, ask) => {
    expect(await ask("other/claude-sonnet-4-5")).toBe("You said: And now?");
    expect(blocksSent(other)).toBe(SAID);
    expect(await ask("gemini/gemini-3-pro")).toBe("You said: And now?");
    expect(JSON.stringify(gemini.requests.at(-1)?.json)).not.toContain("gw1.g.");
  });
});
