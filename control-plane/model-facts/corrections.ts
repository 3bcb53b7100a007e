// Our own facts of models, where the catalogues are wrong, disagree or have nothing. Each row has its source; they come before
// every catalogue. What a model supports in requests is in control-plane/providers/limits/, which comes before these.
import type { Candidate, Candidates } from "./candidate.ts";
import { addCandidate } from "./candidate.ts";

interface Correction {
  provider: string;
  models: readonly string[];
  facts: Candidate;
  source: string;
}

/** Models that the SDK lists for chat completions, and pi-ai for Responses. */
const CHAT_MODEL = "PyPI openai 3.57.0 (types/shared/chat_model.py)";
const RETIRED = "PyPI openai 3.57.0: in its types, and in no catalogue of November 2026";

export const CORRECTIONS: readonly Correction[] = [
  {
    provider: "openai",
    models: ["gpt-6.2-astra", "gpt-6.2-sol"],
    facts: { a: "cr", c: 1_050_000, i: 922_000 },
    source: `${CHAT_MODEL}; window as gpt-6.1-sol in litellm 1.110.2, and pi-ai's 272,000 is the cheap tier`,
  },
  {
    provider: "openai",
    models: ["gpt-6.2-astra-law"],
    facts: { a: "r", r: 1, o: 128_000 },
    source: "PyPI openai 3.57.0 (types/shared/responses_model.py); size as gpt-6.2-astra",
  },
  {
    provider: "openai",
    models: ["gpt-4"],
    facts: { o: 8192 },
    source: "npm @earendil-works/pi-ai 1.6.0; https://models.dev",
  },
  {
    provider: "openai",
    models: ["gpt-5-pro"],
    facts: { o: 128_000 },
    source: "npm @earendil-works/pi-ai 1.6.0; https://models.dev (litellm: its context)",
  },
  {
    provider: "openai",
    models: ["dall-e-2", "dall-e-3"],
    facts: { q: "image_generation", d: "2026-05-12" },
    source: "PyPI openai 3.57.0 (types/image_model.py: retired on May 12, 2026)",
  },
  {
    provider: "openai",
    models: ["sora-2-2025-10-06", "sora-2-2025-12-08", "sora-2-pro-2025-10-06"],
    facts: { q: "video_generation" },
    source: "PyPI openai 3.57.0 (types/video_model.py)",
  },
  {
    provider: "openai",
    models: ["text-moderation-latest", "text-moderation-stable"],
    facts: { q: "moderation" },
    source: RETIRED,
  },
  {
    provider: "openai",
    models: ["gpt-4o-audio-preview-2024-10-01"],
    facts: { c: 128_000, o: 16_384, a: "c", m: "a" },
    source: `${RETIRED}; size as gpt-4o-audio-preview-2024-12-17`,
  },
  {
    provider: "openai",
    models: [
      "gpt-4o-realtime-preview-2024-10-01",
      "gpt-4o-realtime-preview-2024-12-17",
      "gpt-4o-realtime-preview-2025-06-03",
    ],
    facts: { q: "realtime", c: 32_000 },
    source: `${RETIRED}; size as gpt-4o-realtime-preview`,
  },
  {
    provider: "gemini",
    models: ["gemini-robotics-er-1.6-preview"],
    facts: { c: 131_072, o: 65_536, a: "c", r: 1, m: "ipav" },
    source: "PyPI google-genai 3.6.1; size as gemini-robotics-er-2-preview",
  },
  {
    provider: "gemini",
    models: ["gemini-4-hydrogen"],
    facts: { o: 65_536 },
    source: "npm @earendil-works/pi-ai 1.6.0 (litellm: the window)",
  },
  {
    provider: "gemini",
    models: ["gemini-4-argon"],
    facts: { o: 65_536 },
    source:
      "npm @earendil-works/pi-ai 1.5.2 has 32,768, litellm 1.109.1 the window; every Gemini since 2.5 has 65,536, and a limit that is too low would shorten responses",
  },
  {
    provider: "groq",
    models: ["compound-beta", "compound-beta-mini"],
    facts: { a: "c", c: 131_072, o: 8192 },
    source: "PyPI groq 1.7.0; https://console.groq.com/docs/compound",
  },
  {
    provider: "groq",
    models: ["playai-tts", "playai-tts-arabic"],
    facts: { q: "audio_speech" },
    source: "PyPI groq 1.7.0 (types/audio/speech_create_params.py)",
  },
  {
    provider: "groq",
    models: ["nomic-embed-text-v1_5"],
    facts: { q: "embedding" },
    source: "PyPI groq 1.7.0 (types/embedding_create_params.py)",
  },
  {
    provider: "mistral",
    models: ["mistral-large-latest"],
    facts: { p: { s: [[0, 0.7, 2.1, 0.07]] } },
    source:
      "npm @earendil-works/pi-ai 1.6.0; mistral-large-4 in litellm 1.110.2 (genai-prices and litellm have older models under this alias)",
  },
  {
    provider: "mistral",
    models: ["magistral-medium-latest"],
    facts: { o: 262_144, p: { s: [[0, 1.5, 7.5]] } },
    source:
      "litellm 1.110.2, after https://docs.mistral.ai/models/model-cards/mistral-medium-3-5-26-04",
  },
  {
    provider: "mistral",
    models: ["codestral-2508", "codestral-latest"],
    facts: { o: 128_000 },
    source: "litellm 1.110.2, after https://docs.mistral.ai/models/model-cards/codestral-25-08",
  },
  {
    provider: "mistral",
    models: ["mistral-large-4"],
    facts: { o: 1_048_576 },
    source: "litellm 1.110.2, after https://docs.mistral.ai/models/mistral-large-4-0",
  },
  {
    provider: "deepseek",
    models: ["deepseek-chat", "deepseek-reasoner"],
    facts: { p: { s: [[0, 0.28, 0.42, 0.028]] } },
    source:
      "litellm 1.110.2, after https://api-docs.deepseek.com/quick_start/pricing (genai-prices has V3.1 at these names)",
  },
  {
    provider: "xai",
    models: ["grok-4.3"],
    facts: { o: 30_000 },
    source: "npm @earendil-works/pi-ai 1.6.0; https://models.dev (litellm: the window)",
  },
];

/** Returns them as a source with the letter `C`. */
export function corrections(): Candidates {
  const all: Candidates = new Map();
  for (const { provider, models, facts } of CORRECTIONS) {
    for (const model of models) addCandidate(all, provider, model, facts);
  }
  return all;
}
