// The options of the model server: the targets, the thresholds, and the models.
import { z } from "zod";
import { mcpOptions } from "./mcp/mcp-options.ts";

/** Environment variables, which hold the keys of remote models. */
export type Environment = Readonly<Record<string, string | undefined>>;

const seconds = 1000;

/** An embedding model: the embedded one, a directory with model.onnx and tokenizer.json, an address, or transformers.js. */
const embeddingBackend = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("embedded") }),
  z.strictObject({ kind: z.literal("onnx"), directory: z.string().min(1) }),
  z.strictObject({
    kind: z.literal("openai"),
    /** The URL before `/embeddings`. */
    base_url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1),
    /** Name of the environment variable with the key. */
    access_key_variable: z.string().min(1).optional(),
  }),
  z.strictObject({ kind: z.literal("transformers"), model: z.string().min(1) }),
]);

/** A classification model in place of label similarity (zero-shot) or of the shipped head (guard). */
const classifierBackend = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("embedded") }),
  /** A directory with model.onnx, tokenizer.json and config.json. */
  z.strictObject({ kind: z.literal("onnx"), directory: z.string().min(1) }),
  /** A server with the same request and response format as this server's /zeroshot or /guard. */
  z.strictObject({
    kind: z.literal("address"),
    url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1).optional(),
    access_key_variable: z.string().min(1).optional(),
  }),
  z.strictObject({ kind: z.literal("transformers"), model: z.string().min(1) }),
]);

const extractionMode = z.enum(["auto", "embedded", "llm"]);

const parameter = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(""),
  required: z.boolean().default(false),
  /** `str`, `int`, `float`, `bool`, `list`, `dict`, or the corresponding names of JSON Schema. */
  type: z.string().default("str"),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  default: z.json().optional(),
  format: z.string().optional(),
});

export const targetDescription = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  examples: z.array(z.string()).default([]),
  parameters: z.array(parameter).default([]),
  /** The path and query of its API, with `{name}` for parameters: a value in it is fixed, and no parameter's. */
  path: z.string().default(""),
  /** Whose words a question for missing values is in; `model` needs `extraction.egress`. */
  questions: z.enum(["template", "model"]).default("template"),
  /** For a language model that asks. */
  system_prompt: z.string().default(""),
  /** Whether its API changes something (POST): values have to be more certain. */
  acts: z.boolean().default(false),
});

export const modelServerOptions = z.strictObject({
  /** Bytes that a request may hold (its body and a part for each value in it), and all in-flight requests together. */
  most_bytes: z
    .int()
    .min(1)
    .default(72 * 1024 * 1024),
  targets: z.array(targetDescription).default([]),
  embeddings: embeddingBackend.default({ kind: "embedded" }),
  zeroshot: classifierBackend.default({ kind: "embedded" }),
  /** If absent, /mcp does not exist. */
  mcp: mcpOptions.optional(),
  /** If absent, /guard does not exist. */
  guard: z
    .strictObject({
      backend: classifierBackend.default({ kind: "embedded" }),
      /** A text with this score or more is a jailbreak. */
      threshold: z.number().min(0).max(1).default(0.7),
    })
    .optional(),
  selection: z
    .strictObject({
      /**
       * `overrides.prompt_target_intent_matching_threshold`: if no language model is used, a target with this score or
       * more is chosen.
       */
      threshold: z.number().min(0).max(1).default(0.5),
      /** With this score or more no language model is called. */
      certain: z.number().min(0).max(1).default(0.8),
      /** Below this score no target is chosen, and no language model is called either. */
      possible: z.number().min(0).max(1).default(0.3),
    })
    .prefault({}),
  extraction: z
    .strictObject({
      mode: extractionMode.default("auto"),
      /** The egress listener, for example `http://127.0.0.1:12000`; if absent, no language model is called. */
      egress: z.url({ protocol: /^https?$/ }).optional(),
      /** The unix socket of that listener, if it differs from the URL's port. */
      socket: z.string().min(1).optional(),
      /** The value of `model` in requests to it. */
      model: z.string().min(1).default("none"),
      /** Whether a prompt whose parameters are not understood goes to its model; false: there is only a demonstration. */
      hands_over: z.boolean().default(true),
      timeout_ms: z
        .int()
        .min(100)
        .max(120 * seconds)
        .default(18 * seconds),
    })
    .prefault({}),
  /** A value with this score or more counts as stated by the user. */
  grounding_threshold: z.number().min(0).max(1).default(0.5),
});

/** Options as a person or the control plane writes them; members with a default are optional. */
export type ModelServerInput = z.input<typeof modelServerOptions>;
export type ModelServerOptions = z.output<typeof modelServerOptions>;
export type TargetDescription = z.output<typeof targetDescription>;
export type ParameterDescription = z.output<typeof parameter>;
export type EmbeddingBackend = z.output<typeof embeddingBackend>;
export type ClassifierBackend = z.output<typeof classifierBackend>;
