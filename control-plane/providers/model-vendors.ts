// Whose models have which names: how the bare names of a provider's own models begin.

const NAMES: Readonly<Record<string, readonly string[]>> = {
  openai: [
    "gpt-",
    "chatgpt-",
    "o1",
    "o3",
    "o4",
    "codex-",
    "text-embedding-",
    "omni-moderation",
    "whisper-",
    "tts-",
    "dall-e-",
  ],
  anthropic: ["claude"],
  gemini: ["gemini-"],
  mistral: ["mistral", "ministral", "codestral", "devstral", "magistral", "pixtral"],
  deepseek: ["deepseek"],
  xai: ["grok"],
  moonshotai: ["kimi", "moonshot"],
  zhipu: ["glm-"],
  qwen: ["qwen"],
};

/** Returns the provider whose model has a bare name; undefined if that is not known. */
export function vendorOf(model: string): string | undefined {
  return Object.entries(NAMES).find(([, names]) =>
    names.some((name) => model.startsWith(name)),
  )?.[0];
}

/** Returns how the bare names of a provider's models begin, of those that begin with `prefix`. */
export function bareNamesOf(provider: string, prefix: string): string[] {
  const names = NAMES[provider] ?? [];
  if (names.some((name) => prefix.startsWith(name))) return [prefix];
  return names.filter((name) => name.startsWith(prefix));
}
