// The model server's options, made from the gateway's model. Pure; contains names of keys, never their values.
import type { GatewayModel } from "../../model/model.ts";
import { limitHeaders, mcpTools } from "../../model/mcp-tools.ts";
import type { Prompt } from "../../model/prompts.ts";
import { VERSION } from "./package-version.ts";
import type { ModelServerInput } from "../model-server/options.ts";

/** The language model's timeout leaves time for the rest of the prompt: the embedded values, or the plain model. */
const EXTRACTION_SHARE = 0.6;
const MAX_EXTRACTION_MS = 18_000;
const MIN_EXTRACTION_MS = 100;
/** Part of a selection request: the labels with their descriptions and examples. */
const MAX_LABELS_BYTES = 8 * 1024 * 1024;

/** Where a language model can be reached. */
export interface Egress {
  /** For example `http://127.0.0.1:12000`. */
  url: string;
  /**
   * The unix socket of this listener, which bypasses the API keys and TLS of clients; undefined if it is not on this
   * machine.
   */
  socketPath: string | undefined;
}

/** Returns the options. @param egress undefined: no language model is used */
export function modelServerInput(
  model: Pick<GatewayModel, "targets" | "ingress" | "limits">,
  prompt: Prompt,
  egress: Egress | undefined,
): ModelServerInput {
  const { modelServer, threshold } = prompt;
  const { embeddings, zeroshot, guard, guardThreshold } = modelServer;
  const provider = model.targets[modelServer.provider];
  // The demonstration model does not understand prompts, so its response is useless here.
  // The model server has no client key for a provider with pass-through auth.
  const canAsk =
    provider !== undefined &&
    provider.address.kind !== "embedded" &&
    provider.auth.passesClientKey !== true;
  return {
    // A selection request contains the conversation, and the last prompt a second time.
    most_bytes: 2 * model.limits.requestBodyBytes + MAX_LABELS_BYTES,
    // The default target is not a candidate: it receives all remaining prompts.
    targets: prompt.targets
      .filter(({ isDefault }) => !isDefault)
      .map(
        ({ name, description, examples, parameters, path, method, questions, systemPrompt }) => ({
          name,
          description,
          examples,
          path,
          acts: method === "POST",
          ...(questions === undefined ? {} : { questions, system_prompt: systemPrompt ?? "" }),
          parameters: parameters.map(
            ({ inPath: _inPath, allowsSlashes: _allowsSlashes, ...parameter }) => parameter,
          ),
        }),
      ),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(zeroshot === undefined ? {} : { zeroshot }),
    // An unused guard would still load its model.
    ...(prompt.guard === undefined
      ? {}
      : {
          guard: {
            ...(guard === undefined ? {} : { backend: guard }),
            ...(guardThreshold === undefined ? {} : { threshold: guardThreshold }),
          },
        }),
    ...(threshold === undefined ? {} : { selection: { threshold } }),
    ...(prompt.mcp === true && egress?.socketPath !== undefined
      ? {
          mcp: {
            tools: mcpTools(prompt.targets),
            socket: egress.socketPath,
            timeout_ms: model.ingress.timeoutMs,
            limit_headers: limitHeaders(prompt),
            version: VERSION,
          },
        }
      : {}),
    extraction: {
      mode: modelServer.extraction,
      hands_over: provider !== undefined && provider.address.kind !== "embedded",
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
