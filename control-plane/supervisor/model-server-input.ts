// What the model server is started with, made from the gateway's model. Pure; holds names of keys, never their values.
import type { GatewayModel } from "../ir/model.ts";
import type { Prompt } from "../ir/prompt.ts";
import type { ModelServerInput } from "../model-server/options.ts";

/** The language model's timeout leaves time for the rest of the prompt: the embedded values, or the plain model. */
const EXTRACTION_SHARE = 0.6;
const MAX_EXTRACTION_MS = 18_000;
const MIN_EXTRACTION_MS = 100;
/** Of a choice: the labels with their descriptions and examples. */
const MAX_LABELS_BYTES = 8 * 1024 * 1024;

/** Where a language model can be asked. */
export interface Egress {
  /** For example `http://127.0.0.1:12000`. */
  url: string;
  /** The unix socket that leads there, past the keys and TLS of clients; undefined where it is not on this machine. */
  socketPath: string | undefined;
}

/** @param egress undefined: no language model is asked */
export function modelServerInput(
  model: Pick<GatewayModel, "targets" | "ingress" | "limits">,
  prompt: Prompt,
  egress: Egress | undefined,
): ModelServerInput {
  const { modelServer, threshold } = prompt;
  const { embeddings, zeroshot, guard, guardThreshold } = modelServer;
  const provider = model.targets[modelServer.provider];
  // The demonstration model understands nothing, so its answer would be no help.
  // The model server has no key of a client's to show.
  const canAsk =
    provider !== undefined &&
    provider.address.kind !== "embedded" &&
    provider.auth.passesClientKey !== true;
  return {
    // A choice has the conversation, and the last prompt once more.
    most_bytes: 2 * model.limits.requestBodyBytes + MAX_LABELS_BYTES,
    // The default target is no choice: it takes what is left.
    targets: prompt.targets
      .filter(({ isDefault }) => !isDefault)
      .map(({ name, description, examples, parameters }) => ({
        name,
        description,
        examples,
        parameters: parameters.map(
          ({ inPath: _inPath, allowsSlashes: _allowsSlashes, ...parameter }) => parameter,
        ),
      })),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(zeroshot === undefined ? {} : { zeroshot }),
    // A guard that nobody asks would need its model all the same.
    ...(prompt.guard === undefined
      ? {}
      : {
          guard: {
            ...(guard === undefined ? {} : { backend: guard }),
            ...(guardThreshold === undefined ? {} : { threshold: guardThreshold }),
          },
        }),
    ...(threshold === undefined ? {} : { selection: { threshold } }),
    extraction: {
      mode: modelServer.extraction,
      timeout_ms: Math.min(
        Math.max(Math.round(model.ingress.timeoutMs * EXTRACTION_SHARE), MIN_EXTRACTION_MS),
        MAX_EXTRACTION_MS,
      ),
      ...(canAsk && egress !== undefined
        ? {
            egress: egress.url,
            ...(egress.socketPath === undefined ? {} : { socket: egress.socketPath }),
            model: provider.name,
          }
        : {}),
    },
  };
}
