// Recognises the error of a request that is too long for its model, by the words of each provider: hardly any has a code for it.
// Agents compact their conversation only if they recognise the error, so each dialect writes it in the words that its clients
// act on (adaptFault).
import { Fault } from "./fault";

/** OpenAI's code (`error.code`), on which Codex and most agents act. */
export const CONTEXT_LENGTH = "context_length_exceeded";

/** Words of a provider's error. */
class Words {
  constructor(
    public text: string,
    /** Where the numbers of the message begin: as many characters before the text. */
    public before: i32,
    /** Which of these numbers are the tokens of the request and the model's maximum; -1 if the message has none. */
    public tokens: i32,
    public maximum: i32,
    /** Which one is the output that the request asks for, if `tokens` is the prompt alone; else -1. */
    public output: i32 = -1,
  ) {}
}

/** Words without numbers. */
function words(text: string): Words {
  return new Words(text, 0, -1, -1);
}

/** The first that the message contains count. Sources: issues of the providers and the lists of agents, November 2026. */
const WORDS: StaticArray<Words> = [
  // vLLM: "'max_tokens' … is too large: 3. This model's maximum context length is 2 tokens and your request has 1 input tokens".
  new Words("tokens and your request has", 20, 1, 0, 2),
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, open models at Bedrock: "… is 1 tokens. However, you requested 2 tokens".
  new Words("maximum context length is", 0, 1, 0),
  // Anthropic, also at Bedrock and Vertex AI.
  new Words("prompt is too long", 0, 0, 1),
  // Anthropic's older models: "input length and `max_tokens` exceed context limit: 1 + 2 > 3".
  words("exceed context limit"),
  // Bedrock: ValidationException.
  words("Input is too long for requested model"),
  // Gemini: "The input token count (2) exceeds the maximum number of tokens allowed (1)."
  new Words("exceeds the maximum number of tokens allowed", 40, 0, 1),
  // OpenAI since GPT-5.
  words("exceeds the context window"),
  new Words("exceed the configured limit of", 0, 1, 0),
  // Mistral: "Prompt contains 2 tokens and 0 draft tokens, too large for model with 1 maximum context length".
  new Words("draft tokens, too large for model with", 60, 0, 2),
  new Words("too large for model with", 120, 0, 1),
  // llama.cpp: "request (2 tokens) exceeds the available context size (1 tokens)", or members with the numbers.
  new Words("exceeds the available context size", 40, 0, 1),
  // Ollama.
  words("exceeded max context length"),
  words("exceeds the context length"),
  // SGLang, Together AI: "The input (2 tokens) is longer than the model's context length (1 tokens)."
  new Words("longer than the model's context length", 40, 0, 1),
  new Words("exceeds the model's maximum context length of", 0, 1, 0),
  // Groq.
  words("reduce the length of the messages or completion"),
  // xAI: "This model's maximum prompt length is 1 but the request contains 2 tokens".
  new Words("maximum prompt length is", 0, 1, 0),
  // Moonshot AI: "exceeded model token limit: 1 (requested: 2)".
  new Words("exceeded model token limit", 0, 1, 0),
  // Qwen, Zhipu AI, MiniMax.
  words("Range of input length should be"),
  words("Prompt exceeds max length"),
  words("context window exceeds limit"),
  // Cerebras: "Current length is 2 while limit is 1".
  new Words("Current length is", 0, 0, 1),
  // GitHub Copilot: "prompt token count of 2 exceeds the limit of 1".
  new Words("prompt token count of", 0, 0, 1),
  // LM Studio.
  words("greater than the context length"),
  // vLLM, also at NVIDIA: "You passed 1 input tokens and requested 3 output tokens. However, the model's … is only 2 tokens".
  new Words("input tokens and requested", 9, 0, 2, 1),
  // LM Studio: "Trying to keep the first 1 tokens when context the overflows. … context length of only 2 tokens".
  new Words("tokens when context the overflows", 9, 0, 1),
  // Text Generation Inference: "… must be <= 2. Given: 1 `inputs` tokens and 3 `max_new_tokens`", "… less than 2 tokens. Given: 1".
  new Words("`inputs` tokens + `max_new_tokens` must be <=", 0, 1, 0, 2),
  new Words("`inputs` must have less than", 0, 1, 0),
  // Cohere: "… cannot exceed 2 - received 1". Its "too many tokens: max tokens …" is about the output alone.
  new Words("too many tokens: total number of tokens in the prompt cannot exceed", 0, 1, 0),
  // LiteLLM, if the words that it wraps are of none of these.
  words("ContextWindowExceededError"),
];
/** vLLM's number after the maximum is that of the output: the request's total is the last. */
const OF_OUTPUT = "output tokens and your prompt contains";
const TOTAL: i32 = 3;
/** "you requested 4 tokens (2 in the messages, 3 in the completion)". */
const IN_COMPLETION = "in the completion";
/** With less room for the response the conversation is too long. Tokens. */
const MIN_ROOM: u32 = 4096;

/**
 * Marks the fault if its message has these words: with OpenAI's code, status 400 and the numbers. Other statuses, such as 429, have
 * limits of a rate in similar words.
 */
export function recogniseContextLength(fault: Fault): void {
  const status = fault.status;
  const isPossible = status == 400 || status == 413 || status == 422;
  // A server that fails, or an error in a 200 without a kind.
  if (!isPossible && status != 500 && status != 502) return;
  const message = fault.message;
  for (let i = 0; i < WORDS.length; i++) {
    const one = unchecked(WORDS[i]);
    const at = message.indexOf(one.text);
    if (at < 0) continue;
    fault.code = CONTEXT_LENGTH;
    fault.status = 400;
    if (one.maximum < 0) return;
    const from = max(at - one.before, 0);
    const tokens = message.includes(OF_OUTPUT) ? TOTAL : one.tokens;
    fault.tokens = numberAt(message, from, tokens);
    fault.maxTokens = numberAt(message, from, one.maximum);
    if (one.output >= 0) splitParts(fault, numberAt(message, from, one.output));
    else if (message.includes(IN_COMPLETION)) readParts(message, from, fault);
    return;
  }
}

/**
 * Keeps prompt and output apart if a shorter response has room. If they exceed the maximum by one, the server has stopped counting
 * the prompt there (vLLM): then the number says nothing about it.
 */
function splitParts(fault: Fault, output: u32): void {
  const prompt = fault.tokens;
  const maximum = fault.maxTokens;
  const isCounted = prompt + output > maximum + 1;
  if (isCounted && output > 0 && prompt > 0 && prompt + MIN_ROOM <= maximum)
    fault.outputTokens = output;
  else fault.tokens = prompt + output;
}

/** Reads how many tokens are the prompt's, if it fits beside a shorter response. */
function readParts(message: string, from: i32, fault: Fault): void {
  const prompt = numberAt(message, from, 2);
  if (prompt == 0 || prompt + MIN_ROOM > fault.maxTokens) return;
  fault.tokens = prompt;
  fault.outputTokens = numberAt(message, from, 3);
}

/** Returns the number of an index from an offset on, in which commas may group the digits; 0 if there is none. */
function numberAt(text: string, from: i32, index: i32): u32 {
  let seen = -1;
  let value: u32 = 0;
  let isInside = false;
  for (let i = from; i < text.length; i++) {
    const character = text.charCodeAt(i);
    const digit = <u32>character - 0x30;
    if (digit <= 9) {
      if (!isInside) {
        if (seen == index) return value;
        seen++;
        value = 0;
      }
      isInside = true;
      if (value < 100_000_000) value = value * 10 + digit;
    } else if (character != 0x2c || !isInside) {
      isInside = false;
    }
  }
  return seen == index ? value : 0;
}
