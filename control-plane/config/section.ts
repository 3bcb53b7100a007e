// A key of the top level: its schema, how it becomes a part of the model, and its place in the reference page.
import type { z } from "zod";
import type { GatewayModel } from "../../model/model.ts";
import type { Prompt } from "../../model/prompts.ts";
import type { PlacedTarget } from "./provider/entry-names.ts";
import type { Reading } from "./reading.ts";

/** The parts of a value that fit the schema; every member may be missing, whatever the schema requires. */
export type Draft<Value> = Value extends (infer Item)[]
  ? (Draft<Item> | undefined)[]
  : Value extends object
    ? { [Key in keyof Value]?: Draft<Value[Key]> | undefined }
    : Value;

/** What a section contributes to the model. */
export type Slice = Partial<Omit<GatewayModel, "prompt">> & { prompt?: Partial<Prompt> };

/** One load of a configuration: what the sections before this one have read. */
export interface Load {
  reading: Reading;
  model: Slice;
  /** The entries of `llm_providers`, each with its place in the file. */
  placed: PlacedTarget[];
  /** Whether the file sets the key, with whatever value. */
  has: (key: string) => boolean;
  /** Returns the value of another key, as far as it fits that key's schema. */
  part: <Value>(section: Section<Value>) => Draft<Value> | undefined;
}

export interface Section<Value = unknown> {
  key: string;
  schema: z.ZodType<Value>;
  /** Reads the key; `value` is undefined if the file does not set it. Sections are read in the order of `SECTIONS`. */
  read?(load: Load, value: Draft<Value> | undefined): Slice;
}

/** Declares a section; the type of its value is that of its schema. */
export function section<Schema extends z.ZodType>(declared: {
  key: string;
  schema: Schema;
  read?: (load: Load, value: Draft<z.output<Schema>> | undefined) => Slice;
}): Section<z.output<Schema>> {
  return declared as Section<z.output<Schema>>;
}
