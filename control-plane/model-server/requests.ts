// The request bodies of the model server.
import { z } from "zod";
import { messagesSchema } from "./conversation.ts";
import { toolSchema } from "./extraction/tool.ts";

const text = z.string().max(1024 * 1024);
const name = z.string().min(1).max(256);
/**
 * Maximum number of labels or tools, more than any sensible configuration has; each costs up to three runs of the
 * model, once.
 */
const MAX_LABELS = 256;

export const embeddingsRequest = z.looseObject({
  input: z.union([text, z.array(text).min(1).max(64)]),
});

export const zeroshotRequest = z.looseObject({
  input: text,
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
  prompt: text,
  parameters: z.record(z.string(), z.json()).default({}),
  target: z.string().optional(),
});

export const guardRequest = z.looseObject({
  input: text,
  task: z.literal("jailbreak").default("jailbreak"),
});
