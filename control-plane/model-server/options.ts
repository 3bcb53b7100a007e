// What the model server is started with: the targets, the thresholds, and which models do the work.
import { z } from "zod";

/** Environment variables, which hold the keys of remote models. */
export type Environment = Readonly<Record<string, string | undefined>>;

const seconds = 1000;

/** An embedding model: the embedded one, a directory with model.onnx and tokenizer.json, an address, or transformers.js. */
const embeddingBackend = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("embedded") }),
  z.strictObject({ kind: z.literal("onnx"), directory: z.string().min(1) }),
  z.strictObject({
    kind: z.literal("openai"),
    /** Up to and without `/embeddings`. */
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
  /** With model.onnx, tokenizer.json and config.json. */
  z.strictObject({ kind: z.literal("onnx"), directory: z.string().min(1) }),
  /** A server that answers this server's own /zeroshot or /guard shapes. */
  z.strictObject({
    kind: z.literal("address"),
    url: z.url({ protocol: /^https?$/ }),
    model: z.string().min(1).optional(),
    access_key_variable: z.string().min(1).optional(),
  }),
  z.strictObject({ kind: z.literal("transformers"), model: z.string().min(1) }),
]);

export const extractionMode = z.enum(["auto", "embedded", "llm"]);

const parameter = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(""),
  required: z.boolean().default(false),
  /** `str`, `int`, `float`, `bool`, `list`, `dict`, or JSON Schema's names of them. */
  type: z.string().default("str"),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  default: z.json().optional(),
  format: z.string().optional(),
});

const target = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  examples: z.array(z.string()).default([]),
  parameters: z.array(parameter).default([]),
});

export const modelServerOptions = z.strictObject({
  /** Bytes that a request may hold (its body and a part for each value in it), and all that are under way together. */
  most_bytes: z
    .int()
    .min(1)
    .default(72 * 1024 * 1024),
  targets: z.array(target).default([]),
  embeddings: embeddingBackend.default({ kind: "embedded" }),
  zeroshot: classifierBackend.default({ kind: "embedded" }),
  /** Without it, /guard is not there. */
  guard: z
    .strictObject({
      backend: classifierBackend.default({ kind: "embedded" }),
      /** At or above it a text is a jailbreak. */
      threshold: z.number().min(0).max(1).default(0.7),
    })
    .optional(),
  selection: z
    .strictObject({
      /** `overrides.prompt_target_intent_matching_threshold`: where no language model is asked, at or above it a target is taken. */
      threshold: z.number().min(0).max(1).default(0.5),
      /** At or above it no language model is asked. */
      certain: z.number().min(0).max(1).default(0.8),
      /** Below it there is no target, and no language model is asked either. */
      possible: z.number().min(0).max(1).default(0.3),
    })
    .prefault({}),
  extraction: z
    .strictObject({
      mode: extractionMode.default("auto"),
      /** The egress listener, for example `http://127.0.0.1:12000`; without it no language model is asked. */
      egress: z.url({ protocol: /^https?$/ }).optional(),
      /** The unix socket that leads there, where it is not the URL's port. */
      socket: z.string().min(1).optional(),
      /** What `model` says there. */
      model: z.string().min(1).default("none"),
      timeout_ms: z
        .int()
        .min(100)
        .max(120 * seconds)
        .default(18 * seconds),
    })
    .prefault({}),
  /** At or above it a value counts as said by the user. */
  grounding_threshold: z.number().min(0).max(1).default(0.5),
});

/** What a person or the control plane writes; defaults may be left out. */
export type ModelServerInput = z.input<typeof modelServerOptions>;
export type ModelServerOptions = z.output<typeof modelServerOptions>;
export type TargetDescription = z.output<typeof target>;
export type ParameterDescription = z.output<typeof parameter>;
export type EmbeddingBackend = z.output<typeof embeddingBackend>;
export type ClassifierBackend = z.output<typeof classifierBackend>;
