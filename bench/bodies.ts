// The request bodies of the cases. Their shapes follow what real clients send: short chats, and long agent conversations.

/** Words of prose, code and escapes, as prompts have them. */
const WORDS = [
  ..."please read the following function and tell me why it fails when the list is".split(" "),
  ...'empty; I expected it to return "nothing" but it says'.split(" "),
  "if (count < limit) { return list[count]; }\n\tthrow",
  ..."and then the whole job stops, so I would like a fix that keeps the tests as they are".split(
    " ",
  ),
];

export const CHAT_MODEL = "gpt-4o-mini";
export const MESSAGES_MODEL = "claude-sonnet";
/** Its provider serves Responses as well. */
export const RESPONSES_MODEL = "gpt-4o";
export const GEMINI_MODEL = "gemini-2.5-flash";
/** Its requests are signed. */
export const BEDROCK_MODEL = "amazon.nova-pro-v1:0";
/** The same model, with a Bedrock API key. */
export const BEDROCK_KEY_MODEL = "amazon.nova-lite-v1:0";
/** An alias for the chat model, with the other one as its fallback. */
export const SAFE_MODEL = "safe";
/** An alias whose first model's provider refuses connections. */
export const DEAD_MODEL = "dead";

/** `length` characters of words. */
function prose(length: number, first = 0): string {
  let text = "";
  for (let at = first; text.length < length; at++) text += `${WORDS[at % WORDS.length] ?? ""} `;
  return text.slice(0, length);
}

function schema() {
  return {
    type: "object",
    properties: {
      path: { type: "string", description: "Absolute path" },
      limit: { type: "integer" },
    },
    required: ["path"],
  };
}

export function chatBody(characters: number, more: object = {}): object {
  return {
    model: CHAT_MODEL,
    messages: [
      { role: "system", content: "You are a helpful assistant." },
      { role: "user", content: prose(characters) },
    ],
    max_tokens: 256,
    temperature: 0.7,
    ...more,
  };
}

export function responsesBody(model: string, characters: number, more: object = {}): object {
  return {
    model,
    instructions: "You are a helpful assistant.",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: prose(characters) }] },
    ],
    max_output_tokens: 256,
    temperature: 0.7,
    store: false,
    ...more,
  };
}

export function messagesBody(model: string, characters: number, more: object = {}): object {
  return {
    model,
    max_tokens: 256,
    system: "You are a helpful assistant.",
    messages: [{ role: "user", content: prose(characters) }],
    ...more,
  };
}

/** A conversation of `count` short messages. */
export function chatTurnsBody(count: number): object {
  const messages = Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: prose(60, at),
  }));
  return { model: CHAT_MODEL, messages, max_tokens: 1024 };
}

/** A coding agent's conversation of about `size` bytes: 16 tools, and a history of calls and their results. */
export function chatAgentBody(size: number): object {
  const messages: object[] = [{ role: "system", content: prose(8000) }];
  for (let left = size - 17_000, turn = 0; left > 0; turn++) {
    const result = Math.min(6000, left);
    const id = `call_${String(turn)}`;
    messages.push(
      { role: "user", content: prose(200, turn) },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id,
            type: "function",
            function: { name: "read_0", arguments: '{"path":"/src/main.ts"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: id, content: prose(result, turn) },
    );
    left -= result + 520;
  }
  const tools = Array.from({ length: 16 }, (_, at) => ({
    type: "function",
    function: { name: `read_${String(at)}`, description: prose(300, at), parameters: schema() },
  }));
  return { model: CHAT_MODEL, messages, tools, max_tokens: 1024 };
}

/** The same in the messages dialect. */
export function messagesAgentBody(model: string, size: number): object {
  const messages: object[] = [{ role: "user", content: prose(200) }];
  for (let left = size - 17_000, turn = 0; left > 0; turn++) {
    const result = Math.min(6000, left);
    const id = `toolu_${String(turn)}`;
    messages.push(
      {
        role: "assistant",
        content: [{ type: "tool_use", id, name: "read_0", input: { path: "/src/main.ts" } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: prose(result, turn) }],
      },
    );
    left -= result + 330;
  }
  const tools = Array.from({ length: 16 }, (_, at) => ({
    name: `read_${String(at)}`,
    description: prose(300, at),
    input_schema: schema(),
  }));
  return { model, max_tokens: 1024, system: prose(8000), messages, tools };
}
