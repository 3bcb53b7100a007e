// Opens the trained extractor, in the queue of all models and with a cache: the choice of a target and the extraction of
// its parameters need the same pass.
import type { Environment } from "../options.ts";
import { findEmbeddedModel } from "../embedded-model.ts";
import { findOnnxRuntime } from "../onnx-runtime.ts";
import type { RunQueue } from "../run-queue.ts";
import { type Extraction, Extractor, type ExtractorRequest } from "./extractor.ts";
import { type Gloss, glossOf } from "../language/language.ts";
import { parameterText, targetText } from "./target-text.ts";
import { readWeights } from "./weights.ts";

export interface RunningExtractor {
  run: (request: ExtractorRequest) => Promise<Extraction>;
  close: () => Promise<void>;
}

const CACHED = 500;
/** The extractor reads about 200 words. Characters. */
const MAX_PROMPT = 2000;

/** Returns undefined if the embedded model, whose words are used, or its runtime is not installed. */
export async function openExtractor(
  environment: Environment,
  queue: RunQueue,
): Promise<RunningExtractor | undefined> {
  const directory = findEmbeddedModel(environment);
  if (directory === undefined || findOnnxRuntime(environment) === undefined) return undefined;
  const extractor = await Extractor.open(readWeights(), directory);
  // The first run allocates memory, so that no user's prompt has to wait for it.
  const ready = { name: "ready", description: "" };
  await extractor.run({ target: ready, parameters: [], prompt: "ready", asked: [] });
  const known = new Map<string, Promise<Extraction>>();
  return {
    run: async (request) => {
      const read = request.prompt.slice(0, MAX_PROMPT).toWellFormed();
      const gloss = glossOf(read);
      const prompt = gloss?.text ?? read;
      const texts = [targetText(request.target), ...request.parameters.map(parameterText)];
      const key = JSON.stringify([prompt, texts, request.asked]);
      let result = known.get(key);
      if (result === undefined) {
        const size = [prompt, ...texts].join(" ");
        result = queue.runAll([size], () => extractor.run({ ...request, prompt })).then(only);
        // The caller gets the error; the cache only removes the entry.
        result.catch(() => known.delete(key));
      }
      known.delete(key);
      known.set(key, result);
      const oldest = known.keys().next();
      if (known.size > CACHED && oldest.done !== true) known.delete(oldest.value);
      return gloss === undefined ? result : inOriginal(await result, gloss);
    },
    close: async () => {
      await queue.idle();
      await extractor.close();
    },
  };
}

/** Returns the extraction of an English gloss with the spans of the original. */
function inOriginal({ candidates, asks }: Extraction, { original }: Gloss): Extraction {
  return {
    asks,
    candidates: candidates.map((own) =>
      own.map(({ odds, ...span }) => ({ ...original(span), odds })),
    ),
  };
}

function only([result]: Extraction[]): Extraction {
  if (result === undefined) throw new Error("the extractor gave no result");
  return result;
}
