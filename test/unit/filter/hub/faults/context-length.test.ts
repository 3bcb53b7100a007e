// The error of a request that is too long, in each provider's own words, and in those that each client acts on.
// The words are those of issues, SDKs and the lists of agents, read November 2026; no provider was called.
import { beforeAll, describe, expect, it } from "vitest";
import { ANTHROPIC, OPENAI, Responses, RESPONSES } from "../../response-translator.ts";

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

interface Case {
  provider: string;
  status: number;
  body: unknown;
  /** What Claude Code reads; null if the provider reports no numbers. */
  numbers: string | null;
}

const error = (message: string, more: object = {}): unknown => ({ error: { message, ...more } });

const CASES: Case[] = [
  {
    provider: "OpenAI",
    status: 400,
    body: error(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
      { type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
    ),
    numbers: "9000 tokens > 8192 maximum",
  },
  {
    provider: "OpenAI since GPT-5",
    status: 400,
    body: error("Your input exceeds the context window of this model. Please adjust your input.", {
      type: "invalid_request_error",
      code: "context_length_exceeded",
    }),
    numbers: null,
  },
  {
    provider: "OpenAI with a configured limit",
    status: 400,
    body: error(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280012 tokens.",
      { code: "context_length_exceeded" },
    ),
    numbers: "280012 tokens > 272000 maximum",
  },
  {
    provider: "Anthropic",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 208310 tokens > 200000 maximum",
      },
    },
    numbers: "208310 tokens > 200000 maximum",
  },
  {
    provider: "Bedrock",
    status: 400,
    body: { message: "Input is too long for requested model." },
    numbers: null,
  },
  {
    provider: "Bedrock with Anthropic's words",
    status: 400,
    body: {
      message:
        "The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum",
    },
    numbers: "208310 tokens > 200000 maximum",
  },
  {
    provider: "Gemini",
    status: 400,
    body: error(
      "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
      { code: 400, status: "INVALID_ARGUMENT" },
    ),
    numbers: "1048600 tokens > 1048576 maximum",
  },
  {
    provider: "Mistral",
    status: 400,
    body: {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    },
    numbers: "40000 tokens > 32768 maximum",
  },
  {
    provider: "vLLM",
    status: 400,
    body: error(
      "This model's maximum context length is 8192 tokens. However, you requested 100 output tokens and your prompt contains at least 8193 input tokens, for a total of at least 8293 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
      { type: "BadRequestError", param: "input_tokens", code: 400 },
    ),
    numbers: "8293 tokens > 8192 maximum",
  },
  {
    provider: "vLLM until 2025",
    status: 400,
    body: {
      object: "error",
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (8192 in the messages, 1024 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    numbers: "9216 tokens > 8192 maximum",
  },
  {
    provider: "llama.cpp",
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 14429,
        n_ctx: 8192,
      },
    },
    numbers: "14429 tokens > 8192 maximum",
  },
  {
    provider: "llama.cpp, as a failure",
    status: 500,
    body: error("request (14429 tokens) exceeds the available context size (8192 tokens)", {
      code: 500,
    }),
    numbers: "14429 tokens > 8192 maximum",
  },
  {
    provider: "Ollama",
    status: 400,
    body: error("prompt too long; exceeded max context length by 120 tokens"),
    numbers: null,
  },
  {
    provider: "DeepSeek, with another code",
    status: 400,
    body: error(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      { type: "invalid_request_error", param: null, code: "invalid_request_error" },
    ),
    numbers: "122942 + 8192 > 131072",
  },
  {
    provider: "xAI",
    status: 400,
    body: {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    numbers: "537812 tokens > 131072 maximum",
  },
  {
    provider: "Together AI",
    status: 422,
    body: error(
      "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
      {
        code: 422,
      },
    ),
    numbers: "9000 tokens > 8192 maximum",
  },
  {
    provider: "Groq",
    status: 400,
    body: error("Please reduce the length of the messages or completion.", {
      type: "invalid_request_error",
      code: "context_length_exceeded",
    }),
    numbers: null,
  },
  {
    provider: "Cerebras",
    status: 413,
    body: {
      message:
        "Please reduce the length of the messages. Current length is 9,000 while limit is 8,192",
      code: "x",
    },
    numbers: "9000 tokens > 8192 maximum",
  },
  {
    provider: "Moonshot AI",
    status: 400,
    body: error(
      "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
      { type: "invalid_request_error" },
    ),
    numbers: "9000 tokens > 8192 maximum",
  },
  {
    provider: "Qwen",
    status: 400,
    body: error("Range of input length should be [1, 30720]"),
    numbers: null,
  },
  {
    provider: "vLLM, a prompt that fits beside less output",
    status: 400,
    body: error(
      "'max_tokens' or 'max_completion_tokens' is too large: 47186. This model's maximum context length is 131072 tokens and your request has 86565 input tokens (47186 > 131072 - 86565).",
      { type: "BadRequestError", param: null, code: 400 },
    ),
    numbers: "86565 + 47186 > 131072",
  },
  {
    provider: "vLLM since 2026, which stops counting at the maximum",
    status: 400,
    body: error(
      "You passed 57345 input tokens and requested 8192 output tokens. However, the model's context length is only 65536 tokens, resulting in a maximum input length of 57344 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=57345)",
      { type: "BadRequestError", param: "input_tokens", code: 400 },
    ),
    numbers: "65537 tokens > 65536 maximum",
  },
  {
    provider: "vLLM since 2026, counted",
    status: 400,
    body: error(
      "You passed 67073 input tokens and requested 64010 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 67062 tokens.",
      { type: "BadRequestError", param: "input_tokens", code: 400 },
    ),
    numbers: "67073 + 64010 > 131072",
  },
  {
    provider: "SGLang with max_tokens",
    status: 400,
    body: error(
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 38000 tokens from the input messages and 2000 tokens for the completion.",
      { type: "BadRequestError", code: 400 },
    ),
    numbers: "40000 tokens > 32768 maximum",
  },
  {
    provider: "Text Generation Inference",
    status: 422,
    body: {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 3000 `inputs` tokens and 6000 `max_new_tokens`",
      error_type: "validation",
    },
    numbers: "3000 + 6000 > 8192",
  },
  {
    provider: "Text Generation Inference, the prompt alone",
    status: 422,
    body: {
      error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
      error_type: "validation",
    },
    numbers: "5000 tokens > 4096 maximum",
  },
  {
    provider: "Cohere",
    status: 400,
    body: {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    },
    numbers: "4292 tokens > 4081 maximum",
  },
  {
    provider: "LM Studio",
    status: 400,
    body: error(
      "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.",
    ),
    numbers: "9000 tokens > 8192 maximum",
  },
  {
    provider: "LiteLLM, around words that it alone knows",
    status: 400,
    body: error("litellm.ContextWindowExceededError: the conversation does not fit", {
      type: null,
      code: "400",
    }),
    numbers: null,
  },
  {
    provider: "a server without JSON",
    status: 500,
    body: "the request exceeds the available context size",
    numbers: null,
  },
];

/** Returns the body of a provider of OpenAI's format, or of a cloud's, as each client gets it. */
function forClient(to: number, { status, body }: Case): { status: number; text: string } {
  const bytes = typeof body === "string" ? body : JSON.stringify(body);
  const from = to === ANTHROPIC ? OPENAI : ANTHROPIC;
  const text = responses.error({ from, to }, status, bytes);
  return { status: responses.errorStatus, text };
}

/** Anthropic's words: of a prompt that is too long, or of one that fits beside a smaller `max_tokens`. */
function wordsOf({ numbers }: Case): string {
  if (numbers?.includes("+") === true)
    return `input length and \`max_tokens\` exceed context limit: ${numbers}, decrease`;
  return `prompt is too long: ${numbers ?? ""}`;
}

describe.each(CASES)("$provider", (one) => {
  it("an error of a too long context reaches Claude Code as Anthropic's words, with the numbers", () => {
    const { status, text } = forClient(ANTHROPIC, one);
    const { error: inner } = JSON.parse(text) as { error: { type: string; message: string } };
    expect(status).toBe(400);
    expect(inner.type).toBe("invalid_request_error");
    expect(inner.message.startsWith(wordsOf(one)), inner.message).toBe(true);
  });

  it.each([
    ["a chat client", OPENAI],
    ["Codex", RESPONSES],
  ])("an error of a too long context reaches %s as OpenAI's code", (_, to) => {
    const { status, text } = forClient(to, one);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "invalid_request_error", code: "context_length_exceeded" },
    });
  });
});

describe("another error", () => {
  it.each([
    [429, "Too many tokens, please wait before trying again."],
    [429, "Request too large: please reduce the length of the messages or completion."],
    [401, "prompt is too long"],
    [413, "Request exceeds the maximum size"],
    [
      400,
      "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model",
    ],
    [400, "Invalid 'user': string too long. Expected a string with maximum length 64"],
    [400, "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens"],
  ])("%i keeps its words: %s", (status, message) => {
    const body = JSON.stringify({ error: { message } });
    const { error: inner } = JSON.parse(
      responses.error({ from: OPENAI, to: ANTHROPIC }, status, body),
    ) as { error: { message: string } };
    expect(inner.message).toBe(message);
    expect(responses.errorStatus).toBe(status);
  });
});

describe("numbers that are none", () => {
  it.each([
    "maximum context length is",
    "maximum context length is 8192 tokens, 9,,9 tokens in the completion",
    "maximum context length is 99999999999999999999 tokens, you requested 5 (1 in the messages, 2 in the completion)",
    "the input is longer than the model's context length ()",
  ])("a text without numbers leaves the provider's words: %s", (message) => {
    const body = JSON.stringify({ error: { message, n_prompt_tokens: -1, n_ctx: "many" } });
    const { error: inner } = JSON.parse(
      responses.error({ from: OPENAI, to: ANTHROPIC }, 400, body),
    ) as { error: { message: string } };
    expect(inner.message).toMatch(/too long|exceed context limit/);
  });
});

describe("Anthropic's words for a too large max_tokens", () => {
  it("Anthropic's words for a too large max_tokens stay, because Claude Code sends a smaller one at once", () => {
    const message =
      "input length and `max_tokens` exceed context limit: 180000 + 128000 > 200000, decrease input length or `max_tokens` and try again";
    const body = JSON.stringify({ message });
    const { error: inner } = JSON.parse(
      responses.error({ from: OPENAI, to: ANTHROPIC }, 400, body),
    ) as { error: { message: string } };
    expect(inner.message).toBe(message);
  });
});
