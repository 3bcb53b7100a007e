// The request bodies of the model server.
import { z } from "zod";
import { messagesSchema } from "./read-conversation.ts";
import { toolSchema } from "./extraction/tool.ts";

/** The part of a text that is read, at most; the models read less. Characters. */
const MAX_READ = 64 * 1024;
const beginning = z.string().transform((text) => text.slice(0, MAX_READ));
const end = z.string().transform((text) => text.slice(-MAX_READ));
const name = z.string().min(1).max(256);
/**
 * Maximum number of labels or tools, more than any sensible configuration has; each costs up to three runs of the
 * model, once.
 */
const MAX_LABELS = 256;

export const embeddingsRequest = z.looseObject({
  input: z.union([beginning, z.array(beginning).min(1).max(64)]),
});

export const zeroshotRequest = z.looseObject({
  input: beginning,
  labels: z.array(name).min(1).max(MAX_LABELS),
  descriptions: z.record(z.string(), z.string()).default({}),
  examples: z.record(z.string(), z.array(z.string()).max(32)).default({}),
  parameters: z.record(z.string(), z.array(z.string())).default({}),
  messages: messagesSchema.default([]),
});

export const extractionRequest = z.looseObject({
  messages: messagesSchema.min(1),
  tools: z.array(toolSchema).min(1).max(MAX_LABELS),
  metadata: z
    .looseObject({
      decision: z.enum(["target", "ask_model"]).default("ask_model"),
      target: z.string().optional(),
    })
    .prefault({}),
});

export const hallucinationRequest = z.looseObject({
  prompt: end,
  messages: messagesSchema.default([]),
  parameters: z.record(z.string(), z.json()).default({}),
  target: z.string().optional(),
});

/** The whole text is read: the guard itself has a limit. */
export const guardRequest = z.looseObject({
  input: z.string(),
  task: z.literal("jailbreak").default("jailbreak"),
});
