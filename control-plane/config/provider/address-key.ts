// What a key of an entry is from which the address of a cloud is made: `resource`, `region` and the like.
import { z } from "zod";

export interface AddressKeyRule {
  schema: z.ZodOptional<z.ZodString>;
  /** What a value has to match. */
  pattern: RegExp;
  /** What is expected, as the end of a sentence. */
  expected: string;
  /** What to write, by the value; undefined without an idea. */
  correct?: (value: string) => string | undefined;
  /** What to write if it is missing. */
  missing: string;
  /** Where the name of a model holds the value. */
  inModel?: RegExp;
}

/** Returns the schema of a key: any text, which is checked after references are replaced. */
export function addressText(
  description: string,
  expected: string,
  examples: string[],
  more: { default?: string } = {},
): AddressKeyRule["schema"] {
  return z
    .string({ error: expected })
    .meta({ description, examples, ...more })
    .optional();
}
