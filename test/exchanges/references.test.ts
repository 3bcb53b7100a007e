// References to what a provider stores for its account: a key with an allow-list may send them if it may use all models of the
// provider, as for the endpoints of stored objects.
import { describe, expect, it } from "vitest";
import { errorOf, start } from "./budgets/set-up.ts";
import type { Worker } from "./budgets/set-up.ts";

const CONFIGURATION = `
listeners:
  egress:
    api_keys:
      - {key: $TEAM_A, name: some, models: [openai/gpt, anthropic/claude, both]}
      - {key: $TEAM_B, name: whole, models: [openai/*, anthropic/*, both]}
      - {key: $TEAM_C, name: open}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: openai/other, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
  - {model: anthropic/other, access_key: $ANTHROPIC_API_KEY}
model_aliases:
  both: {target: openai/gpt, fallbacks: [anthropic/claude]}
`;

const REFERENCES: [name: string, path: string, body: object][] = [
  ["previous_response_id", "/v1/responses", { previous_response_id: "resp_1", input: "Hi" }],
  ["previous_response_id", "/v1/responses/compact", { previous_response_id: "resp_1" }],
  ["previous_response_id", "/v1/responses/input_tokens", { previous_response_id: "resp_1" }],
  ["conversation", "/v1/responses", { conversation: "conv_1", input: "Hi" }],
  ["conversation", "/v1/responses", { conversation: { id: "conv_1" }, input: "Hi" }],
  ["prompt", "/v1/responses", { prompt: { id: "pmpt_1", variables: {} } }],
  ["item_reference", "/v1/responses", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ["item_reference", "/v1/responses", { input: [{ id: "msg_1" }] }],
  ["item_reference", "/v1/responses", { input: [{ id: "msg_1", type: null }] }],
  ["item_reference", "/v1/responses", { input: [{ type: "image_generation_call", id: "ig_1" }] }],
  ...["input_file", "input_image"].map((type): [string, string, object] => [
    "file_id",
    "/v1/responses",
    { input: [{ role: "user", content: [{ type, file_id: "file-1" }] }] },
  ]),
  [
    "file_id",
    "/v1/responses",
    {
      input: [
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_file", file_id: "file-1" }],
        },
      ],
    },
  ],
  [
    "vector_store_ids",
    "/v1/responses",
    { input: "Hi", tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
  ],
  [
    "container",
    "/v1/responses",
    { input: "Hi", tools: [{ type: "code_interpreter", container: "cntr_1" }] },
  ],
  [
    "file_ids",
    "/v1/responses",
    {
      input: "Hi",
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file-1"] } }],
    },
  ],
  [
    "file_id",
    "/v1/responses",
    { input: "Hi", tools: [{ type: "image_generation", input_image_mask: { file_id: "file-1" } }] },
  ],
  [
    "file_id",
    "/v1/chat/completions",
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }] },
  ],
  [
    "audio",
    "/v1/chat/completions",
    {
      messages: [
        { role: "assistant", audio: { id: "audio_1" } },
        { role: "user", content: "Hi" },
      ],
    },
  ],
  [
    "file_id",
    "/v1/messages",
    {
      messages: [
        {
          role: "user",
          content: [{ type: "document", source: { type: "file", file_id: "file_1" } }],
        },
      ],
    },
  ],
  [
    "container",
    "/v1/messages",
    { container: "container_1", messages: [{ role: "user", content: "Hi" }] },
  ],
  [
    "skill_id",
    "/v1/messages",
    {
      container: { skills: [{ type: "custom", skill_id: "skill_1", version: "latest" }] },
      messages: [{ role: "user", content: "Hi" }],
    },
  ],
  [
    "file_id",
    "/v1/messages/count_tokens",
    { messages: [{ role: "user", content: [{ type: "container_upload", file_id: "file_1" }] }] },
  ],
  ["file_id", "/v1/images/edits", { prompt: "A cat", images: [{ file_id: "file-1" }] }],
];

const SCHEMA = {
  type: "object",
  properties: { file_id: { type: "string" }, container: { id: "x" }, file_ids: ["a"] },
  default: { file_id: "f", conversation: "c" },
};
/** What looks like a reference, and is none. */
const OWN: [path: string, body: object][] = [
  ["/v1/responses", { input: "file_id", previous_response_id: null, conversation: null }],
  [
    "/v1/responses",
    { input: [{ role: "user", content: [{ type: "input_text", text: "previous_response_id" }] }] },
  ],
  ["/v1/responses", { input: "Hi", tools: [{ type: "function", name: "f", parameters: SCHEMA }] }],
  [
    "/v1/responses",
    { input: "Hi", text: { format: { type: "json_schema", name: "f", schema: SCHEMA } } },
  ],
  ["/v1/responses", { input: "Hi", metadata: { conversation: "c", file_id: "f" } }],
  [
    "/v1/responses",
    {
      input: "Hi",
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [] } }],
    },
  ],
  [
    "/v1/responses",
    {
      input: [
        { role: "user", content: "Hi" },
        {
          type: "function_call",
          id: "fc_1",
          call_id: "c",
          name: "f",
          arguments: '{"file_id":"f"}',
        },
        { type: "function_call_output", call_id: "c", output: "file_id" },
      ],
    },
  ],
  [
    "/v1/chat/completions",
    {
      messages: [{ role: "user", content: "Hi" }],
      tools: [{ type: "function", function: { name: "f", parameters: SCHEMA } }],
    },
  ],
  [
    "/v1/chat/completions",
    { audio: { voice: "alloy", format: "wav" }, messages: [{ role: "user", content: "Hi" }] },
  ],
  [
    "/v1/messages",
    {
      tools: [{ name: "f", input_schema: SCHEMA, input_examples: [{ file_id: "f" }] }],
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "t", name: "f", input: { file_id: "f", container: "c" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "file_id" }] },
      ],
    },
  ],
  [
    "/v1/messages",
    {
      container: { skills: [{ type: "anthropic", skill_id: "pptx", version: "latest" }] },
      messages: [{ role: "user", content: "Hi" }],
    },
  ],
];

const modelOf = (path: string) =>
  path.startsWith("/v1/messages") ? "anthropic/claude" : "openai/gpt";

async function worker(): Promise<Worker> {
  return start({ text: CONFIGURATION });
}

function ask(
  to: Worker,
  path: string,
  body: object,
  key: "a" | "b" | "c" = "a",
  more: { model?: string; text?: (json: string) => string } = {},
) {
  const { model = modelOf(path), text = (json) => json } = more;
  const json = JSON.stringify({
    model,
    ...(path.startsWith("/v1/messages") ? { max_tokens: 10 } : {}),
    ...body,
  });
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["x-gateway-api-key", key.repeat(30)],
  ];
  const request = { method: "POST", path, headers, body: Buffer.from(text(json)) };
  return to.ask({ input: { request } });
}

describe.each(REFERENCES)("a request with %s on %s as %j", (name, path, body) => {
  it("a reference returns 403 for a key that may not use all models of the provider", async () => {
    const gateway = await worker();
    const refused = ask(gateway, path, body);
    expect(refused.sent).toEqual([]);
    const { status, body: error } = errorOf(refused);
    expect(status).toBe(403);
    const provider = modelOf(path).split("/")[0] ?? "";
    const message = `The key 'some' may not be used for '${name}', which needs all models of its provider ('${provider}/*'). Its models: openai/gpt, anthropic/claude, both.`;
    expect(error).toMatchObject({ error: { type: "permission_error", message } });
    const spaced = {
      text: (json: string) => json.replaceAll('":', '" : ').replaceAll("_id", String.raw`_\u0069d`),
    };
    expect(ask(gateway, path, body, "a", spaced).response.status).toBe(403);
  });

  it("a reference passes for a key that may use it, and for one without an allow-list", async () => {
    const gateway = await worker();
    expect(ask(gateway, path, body, "b").sent).toHaveLength(1);
    expect(ask(gateway, path, body, "c").sent).toHaveLength(1);
  });
});

it.each(OWN)("content of the client's own on %s passes: %j", async (path, body) => {
  expect(ask(await worker(), path, body).sent).toHaveLength(1);
});

it("a reference to one of several providers needs all models of each", async () => {
  const gateway = await worker();
  const [, path = "", body = {}] = REFERENCES[0] ?? [];
  expect(ask(gateway, path, body, "a", { model: "both" }).response.status).toBe(403);
  expect(ask(gateway, path, body, "b", { model: "both" }).sent).toHaveLength(1);
});
