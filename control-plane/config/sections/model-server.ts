// `model_server`: which models choose targets, find jailbreaks and parameters.
import { BEARER } from "../../../contract/credentials.ts";
import type { z } from "zod";
import { clientNames } from "../../../model/model-names.ts";
import type { GatewayModel } from "../../../model/model.ts";
import type { ClassifierBackend, EmbeddingBackend, ModelServer } from "../../../model/prompts.ts";
import type { Path } from "../../report/problem.ts";
import { suggest, suggestion } from "../../report/suggest.ts";
import { readHomePath } from "../home-path.ts";
import { readAccessKeys } from "../provider/access-key.ts";
import { checkBaseUrl } from "../provider/base-url.ts";
import type { Reading } from "../reading.ts";
import { mapping, number, oneOf, text } from "../schema-words.ts";
import { type Draft, section } from "../section.ts";

const REMOTE = {
  model: text("The model's name at that address.").optional(),
  access_key: text(
    "Its key, as a reference to an environment variable.",
    "a reference to an environment variable, such as $EMBEDDINGS_KEY",
  ).optional(),
  transformers: text(
    "A model for `@huggingface/transformers`, which has to be installed beside the gateway: a directory (absolute, or `~/…`) or a name of the hub.",
  ).optional(),
};

const embeddings = mapping(
  {
    directory: text(
      "A directory with `model.onnx` and `tokenizer.json`: absolute, or below the home directory as `~/…`.",
    ).optional(),
    base_url: text(
      "Base URL of an OpenAI-compatible `/embeddings` API, without `/embeddings`.",
    ).optional(),
    ...REMOTE,
  },
  "The model that makes vectors of sentences: one of `directory`, `base_url` (with `model`) and `transformers`. Without it the embedded all-MiniLM-L6-v2.",
);

const classifier = {
  directory: text(
    "A directory with `model.onnx`, `tokenizer.json` and `config.json` (which has the labels): absolute, or below the home directory as `~/…`.",
  ).optional(),
  url: text("URL of a server with the model server's API: see docs/model-server.md.").optional(),
  ...REMOTE,
};

const schema = mapping(
  {
    embeddings: embeddings.optional(),
    zeroshot: mapping(
      classifier,
      "The model that chooses a target (natural-language inference): one of `directory`, `url` and `transformers`. Without it the similarity of embeddings.",
    ).optional(),
    guard: mapping(
      {
        ...classifier,
        threshold: number(0, 1, {
          description: "Minimum confidence for rejecting a prompt, 0 to 1.",
          default: 0.7,
        }).optional(),
      },
      "The model that finds jailbreaks (text classification): one of `directory`, `url` and `transformers`. If not set, the embedded guard.",
    ).optional(),
    extraction: oneOf(["auto", "embedded", "llm"], {
      description:
        "How parameters are extracted: `embedded` without a language model, `llm` with a language model, `auto` with one if the embedded extractor is not sure.",
      default: "auto",
    }).optional(),
    provider: text(
      "The configured model to use instead of the default model.",
      "the name of a configured model",
    ).optional(),
  },
  "Settings of the model server, which selects targets and extracts their parameters.",
);

export const modelServer = section({
  key: "model_server",
  schema,
  read({ reading, model }, entry = {}) {
    const { targets = [], aliases = [], defaultTarget = 0 } = model;
    return {
      prompt: { modelServer: readModelServer(reading, entry, { targets, aliases, defaultTarget }) },
    };
  },
});

type Entry = Draft<z.output<typeof schema>>;
type Models = Pick<GatewayModel, "targets" | "aliases" | "defaultTarget">;
interface Remote {
  model?: string | undefined;
  access_key?: string | undefined;
}

const PATH = ["model_server"];

function readModelServer(reading: Reading, entry: Entry, models: Models): ModelServer {
  const embeddings = entry.embeddings && readEmbeddings(reading, entry.embeddings);
  const zeroshot = entry.zeroshot && readClassifier(reading, "zeroshot", entry.zeroshot);
  const guard = entry.guard && readClassifier(reading, "guard", entry.guard);
  const threshold = entry.guard?.threshold;
  const variables = [embeddings, zeroshot, guard].flatMap((backend) =>
    backend !== undefined && "access_key_variable" in backend
      ? (backend.access_key_variable ?? [])
      : [],
  );
  return {
    extraction: entry.extraction ?? "auto",
    provider: readProvider(reading, entry.provider, models),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(zeroshot === undefined ? {} : { zeroshot }),
    ...(guard === undefined ? {} : { guard }),
    ...(threshold === undefined ? {} : { guardThreshold: threshold }),
    environment: [...new Set(variables)].sort(),
  };
}

function readProvider(reading: Reading, provider: string | undefined, models: Models): number {
  if (provider === undefined) return models.defaultTarget;
  const names = new Map(clientNames(models).map(({ name, target }) => [name, target]));
  const chosen = names.get(provider);
  if (chosen !== undefined) return chosen;
  const path = [...PATH, "provider"];
  reading.problem(path, `no configured model is called ${reading.show(path, provider)}`, {
    hint: suggestion(suggest(provider, [...names.keys()])),
  });
  return models.defaultTarget;
}

function readEmbeddings(
  reading: Reading,
  entry: NonNullable<Entry["embeddings"]>,
): EmbeddingBackend | undefined {
  const path = [...PATH, "embeddings"];
  const kind = onlyOne(reading, path, entry, ["directory", "base_url", "transformers"]);
  if (kind === "directory") return readDirectory(reading, path, entry.directory);
  if (kind === "base_url") {
    const url = checkBaseUrl(reading, [...path, kind], entry.base_url);
    const model = entry.model?.trim() ?? "";
    if (model === "") reading.problem(path, "model is missing; expected its name at that address");
    const key = readKey(reading, path, entry);
    return url === undefined ? undefined : { kind: "openai", base_url: url, model, ...key };
  }
  return kind === undefined ? undefined : transformers(reading, path, entry.transformers);
}

function readClassifier(
  reading: Reading,
  name: "zeroshot" | "guard",
  entry: NonNullable<Entry["guard"]>,
): ClassifierBackend | undefined {
  const path = [...PATH, name];
  // A guard with a threshold alone is the shipped one.
  const isOwn = entry.threshold !== undefined && Object.keys(entry).length === 1;
  const kind = isOwn
    ? undefined
    : onlyOne(reading, path, entry, ["directory", "url", "transformers"]);
  if (kind === "directory") return readDirectory(reading, path, entry.directory);
  if (kind === "url") {
    const url = checkBaseUrl(reading, [...path, kind], entry.url);
    if (url === undefined) return undefined;
    const model = entry.model === undefined ? {} : { model: entry.model };
    return { kind: "address", url, ...model, ...readKey(reading, path, entry) };
  }
  return kind === undefined ? undefined : transformers(reading, path, entry.transformers);
}

function readDirectory(
  reading: Reading,
  path: Path,
  written: string | undefined,
): { kind: "onnx"; directory: string } | undefined {
  const directory = readHomePath(reading, [...path, "directory"], written);
  return directory === undefined ? undefined : { kind: "onnx", directory };
}

function transformers(
  reading: Reading,
  path: Path,
  model = "",
): { kind: "transformers"; model: string } | undefined {
  const at = [...path, "transformers"];
  if (/^[/~]/.test(model)) {
    const directory = readHomePath(reading, at, model);
    return directory === undefined ? undefined : { kind: "transformers", model: directory };
  }
  if (/^[\w.-]+(?:\/[\w.-]+)?$/.test(model)) return { kind: "transformers", model };
  reading.problem(at, "expected a directory or a name such as Xenova/bert");
  return undefined;
}

function readKey(reading: Reading, path: Path, entry: Remote): { access_key_variable?: string } {
  const provider = String(path.at(-1));
  const wanted = { provider, needsKey: false, auth: BEARER, headers: [] };
  const [name] = readAccessKeys(reading, path, entry, wanted);
  return name === undefined ? {} : { access_key_variable: name };
}

/** Returns the one key that is set; otherwise undefined, after reporting a problem. */
function onlyOne<const Key extends string>(
  reading: Reading,
  path: Path,
  entry: Partial<Record<Key, unknown>>,
  keys: readonly Key[],
): Key | undefined {
  const [given, ...more] = keys.filter((key) => Object.hasOwn(entry, key));
  if (given !== undefined && more.length === 0) {
    return entry[given] === undefined ? undefined : given;
  }
  const several = more.length > 0 ? ", not several" : "";
  reading.problem(path, `expected one of ${keys.join(", ")}${several}`, { part: "key" });
  return undefined;
}
