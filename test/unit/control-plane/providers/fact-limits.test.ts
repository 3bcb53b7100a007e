// Limits that follow from the catalogue of models.
import { expect, it } from "vitest";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT } from "../../../../contract/dialects.ts";
import { limitsByFacts } from "../../../../control-plane/providers/fact-limits.ts";

it.each([
  ["anthropic", "claude-opus-5-5", true],
  ["anthropic", "claude-haiku-4-5", undefined],
  // Its price is that of Anthropic's own API.
  ["vertex", "claude-opus-5-5", undefined],
  ["bedrock", "anthropic.claude-opus-5-5-v1:0", undefined],
])("%s/%s has a fast mode if its provider lists a price for it: %s", (provider, model, has) => {
  expect(limitsByFacts(provider, model, ANTHROPIC_MESSAGES).fast_mode).toBe(has);
});

it.each([
  ["openai", "gpt-5.5", true],
  ["openai", "gpt-3.5-turbo", undefined],
  ["azure_openai", "gpt-5.5", true],
  ["groq", "openai/gpt-oss-120b", undefined],
])(
  "%s/%s has the priority tier if its provider lists a price for it: %s",
  (provider, model, has) => {
    expect(limitsByFacts(provider, model, OPENAI_CHAT).fast_mode).toBe(has);
  },
);

it.each([
  ["cerebras", "gpt-oss-120b", false],
  ["qwen", "glm-5", false],
  ["openrouter", "deepseek/deepseek-v3.2", false],
  ["moonshotai", "kimi-k2.5", undefined],
  ["openai", "gpt-5.5", undefined],
  ["cerebras", "unknown", undefined],
  // Mistral reads PDFs for every model.
  ["mistral", "codestral-latest", undefined],
])(
  "%s/%s reads images unless the catalogue has it as a model of text: %s",
  (provider, model, images) => {
    expect(limitsByFacts(provider, model, OPENAI_CHAT).images).toBe(images);
  },
);
