// Writes test/fixtures/sdk-models.json: the names of models in the types of the vendors' newest SDKs, which tests compare with
// the catalogue. Run by hand, with a network: node scripts/model-facts/sdk-models.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { fetchPackage } from "./fetch-package.ts";

const FILE = join(import.meta.dirname, "../../test/fixtures/sdk-models.json");

/** Files with lists of models, by package and our provider. cerebras_cloud_sdk and mistralai have no such list. */
const SDKS: Readonly<Record<string, { provider: string; files: readonly string[] }>> = {
  openai: {
    provider: "openai",
    files: [
      ...["shared/chat_model", "shared/responses_model", "image_model", "audio_model"],
      ...["video_model", "embedding_model", "moderation_model", "audio/speech_model"],
      "realtime/realtime_session_create_request",
    ].map((name) => `openai/types/${name}.py`),
  },
  anthropic: { provider: "anthropic", files: ["anthropic/types/model.py"] },
  "google-genai": {
    provider: "gemini",
    files: ["google/genai/_gaos/types/interactions/model.py"],
  },
  mistralai: { provider: "mistral", files: [] },
  groq: {
    provider: "groq",
    files: [
      "groq/types/chat/completion_create_params.py",
      "groq/types/audio/transcription_create_params.py",
      "groq/types/audio/speech_create_params.py",
      "groq/types/embedding_create_params.py",
    ],
  },
  "cerebras-cloud-sdk": { provider: "cerebras", files: [] },
};

/** A list of models: it is called Model, or is the type of the member `model`. */
const LIST = /(?:\b\w*Model\b[^=\n]*= |\bmodel: )[^"]*?Literal\[([^\]]*)\]/gs;

const found = Object.entries(SDKS).map(([name, { provider, files }]) => {
  const { file, content } = fetchPackage({ registry: "PyPI", name });
  const texts = unzipSync(content, { filter: (one) => files.includes(one.name) });
  const models = files.flatMap((path) => {
    const text = strFromU8(texts[path] ?? new Uint8Array());
    const lists = [...text.matchAll(LIST)].map(([, list = ""]) => list);
    if (lists.length === 0) throw new Error(`${file} has no list of models in ${path}`);
    const uncommented = lists.join("\n").replaceAll(/#[^\n]*/g, "");
    return [...uncommented.matchAll(/"([^"]+)"/g)].map(([, model = ""]) => model);
  });
  const version = file.split("-")[1] ?? "";
  return [name, { provider, version, models: [...new Set(models)].sort() }] as const;
});
writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(found), null, 2)}\n`);
