// The official Node SDKs of each client API search with Gemini beside their own functions: what the search did comes back to Gemini in
// the next turn, which the strict fake requires; Vertex AI and models before Gemini 3 search not.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { startAnthropicProvider } from "../providers/anthropic.ts";
import { startGeminiProvider } from "../providers/gemini.ts";
import { startResponsesProvider } from "../providers/responses.ts";
import type { FakeProvider } from "../providers/server.ts";

const KEYS = {
  GEMINI_API_KEY: "AIza-test",
  TOKEN: "ya29.token",
  ANTHROPIC_API_KEY: "sk-ant-1",
  OPENAI_API_KEY: "sk-openai-1",
};
const PARAMETERS = { type: "object" as const, properties: { city: { type: "string" } } };
const ASKED = 'call weather({"city":"Oslo"})';
const SAID = "The tools said: sunny";
const DROPPED = "x-gateway-dropped";

let gemini: FakeProvider;
let vertex: FakeProvider;
let claude: FakeProvider;
let responses: FakeProvider;
let gateway: Gateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  gemini = await startGeminiProvider({ key: KEYS.GEMINI_API_KEY });
  vertex = await startGeminiProvider({ token: KEYS.TOKEN });
  claude = await startAnthropicProvider({ key: KEYS.ANTHROPIC_API_KEY });
  responses = await startResponsesProvider({ key: KEYS.OPENAI_API_KEY });
  gateway = await startGateway({
    config: `version: v0.1.0
llm_providers:
  - { model: gemini/gemini-3-pro, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}" }
  - { model: gemini/gemini-2.5-flash, access_key: $GEMINI_API_KEY, base_url: "${gemini.url}" }
  - { model: vertex/gemini-3-flash, project: my-project, access_key: $TOKEN, base_url: "${vertex.url}" }
  - { model: anthropic/claude-sonnet-4-5, access_key: $ANTHROPIC_API_KEY, base_url: "${claude.url}" }
  - { model: openai/gpt-5.5, provider_interface: openai_responses, access_key: $OPENAI_API_KEY, base_url: "${responses.url}/v1" }
`,
    environment: KEYS,
  });
  const options = { apiKey: "any-key", maxRetries: 0 };
  openai = new OpenAI({ ...options, baseURL: `${gateway.url}/v1` });
  anthropic = new Anthropic({ ...options, baseURL: gateway.url });
});
afterAll(async () => {
  const providers = [gemini, vertex, claude, responses];
  expect(providers.flatMap((one) => one.violations())).toEqual([]);
  await gateway.stop();
  await Promise.all(providers.map((one) => one.stop()));
});

/** The parts of the model's last turn in the last request. */
function partsSent(): object[] {
  const { contents } = gemini.requests.at(-1)?.json as {
    contents: { role: string; parts: object[] }[];
  };
  return contents.findLast(({ role }) => role === "model")?.parts ?? [];
}

/** A stream's items have a member of the SDK. */
const withoutParsed = (item: object): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== "parsed_arguments"));

const SEARCHED = [
  {
    toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: [ASKED, `${ASKED} "now"`] } },
    thoughtSignature: expect.any(String) as string,
  },
  {
    toolResponse: {
      toolType: "GOOGLE_SEARCH_WEB",
      response: { search_suggestions: "<div>\n\u2028</div>" },
    },
    thoughtSignature: expect.any(String) as string,
  },
  { functionCall: { name: "weather" }, thoughtSignature: expect.any(String) as string },
];

describe.each([
  ["complete", false],
  ["streamed", true],
] as const)("%s", (_, isStream) => {
  type MessagesRequest = Omit<Anthropic.MessageCreateParamsNonStreaming, "max_tokens">;
  const tools: Anthropic.ToolUnion[] = [
    { name: "weather", input_schema: PARAMETERS },
    { type: "web_search_20250305", name: "web_search" },
  ];
  const askMessages = (request: MessagesRequest): Promise<Anthropic.Message> =>
    isStream
      ? anthropic.messages.stream({ max_tokens: 4000, tools, ...request }).finalMessage()
      : anthropic.messages.create({ max_tokens: 4000, tools, ...request });

  async function searchOfMessages(model: string): Promise<Anthropic.MessageParam[]> {
    const user = { role: "user" as const, content: ASKED };
    const { content, usage } = await askMessages({ model, messages: [user] });
    expect(usage.server_tool_use?.web_search_requests ?? 0).toBe(model === "gemini-3-pro" ? 2 : 0);
    const tool_use_id = content.find((block) => block.type === "tool_use")?.id ?? "";
    return [
      user,
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id, content: "sunny" }] },
    ];
  }

  it("the Anthropic SDK returns what a search beside functions did", async () => {
    const messages = await searchOfMessages("gemini-3-pro");
    const { content } = await askMessages({ model: "gemini-3-pro", messages });
    expect(content.at(-1)).toMatchObject({ text: SAID });
    expect(partsSent()).toMatchObject(SEARCHED);
  });

  it.each(["gemini-2.5-flash", "vertex/gemini-3-flash", "claude-sonnet-4-5", "gpt-5.5"])(
    "a history with a search of Gemini continues at %s",
    async (model) => {
      const messages = await searchOfMessages("gemini-3-pro");
      const { content } = await askMessages({ model, messages });
      expect(content.at(-1)).toMatchObject({ text: SAID });
    },
  );

  it.each(["gemini-2.5-flash", "vertex/gemini-3-flash"])(
    "a search beside functions is dropped for %s",
    async (model) => {
      const request = { model, messages: [{ role: "user" as const, content: ASKED }] };
      const { response } = await anthropic.messages
        .create({ ...request, max_tokens: 4000, tools, stream: isStream })
        .withResponse();
      expect(response.headers.get(DROPPED)).toContain("tools[].type=web_search_20250305");
    },
  );

  const responseTools: OpenAI.Responses.Tool[] = [
    { type: "function", name: "weather", parameters: PARAMETERS, strict: false },
    { type: "web_search" },
  ];
  const askResponses = (
    model: string,
    input: OpenAI.Responses.ResponseInput,
  ): Promise<OpenAI.Responses.Response> => {
    const request = { model, input, tools: responseTools, store: false };
    return isStream
      ? openai.responses.stream({ ...request, stream: true }).finalResponse()
      : openai.responses.create(request);
  };

  it.each(["gemini-3-pro", "gpt-5.5", "claude-sonnet-4-5"])(
    "the OpenAI SDK, responses, returns what a search beside functions did, to %s",
    async (model) => {
      const user = { role: "user" as const, content: ASKED };
      const { output } = await askResponses("gemini-3-pro", [user]);
      const call_id = output.find((item) => item.type === "function_call")?.call_id ?? "";
      const { output_text } = await askResponses(model, [
        user,
        ...(output.map(withoutParsed) as OpenAI.Responses.ResponseInputItem[]),
        { type: "function_call_output", call_id, output: "sunny" },
      ]);
      expect(output_text).toBe(SAID);
      if (model === "gemini-3-pro") expect(partsSent()).toMatchObject(SEARCHED);
    },
  );

  it("the OpenAI SDK, chat completions, returns what a search beside functions did", async () => {
    const request = {
      model: "gemini-3-pro",
      tools: [{ type: "function" as const, function: { name: "weather", parameters: PARAMETERS } }],
      web_search_options: {},
    };
    const ask = (messages: ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletion> =>
      isStream
        ? openai.chat.completions.stream({ ...request, messages }).finalChatCompletion()
        : openai.chat.completions.create({ ...request, messages });
    const user = { role: "user" as const, content: ASKED };
    const message = (await ask([user])).choices[0]?.message;
    const tool_call_id = message?.tool_calls?.[0]?.id ?? "";
    const { choices } = await ask([
      user,
      message as ChatCompletionMessageParam,
      { role: "tool", tool_call_id, content: "sunny" },
    ]);
    expect(choices[0]?.message.content).toBe(SAID);
    expect(partsSent()).toMatchObject(SEARCHED);
  });
});
