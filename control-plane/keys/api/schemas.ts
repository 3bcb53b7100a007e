// The bodies, queries and responses of the admin API: what a request may have, and with it the OpenAPI document.
import { z } from "zod";
import { MAX_GROUPS } from "../../../contract/key-format.ts";
import { BUDGET_PERIODS } from "../../../model/budgets.ts";
import { isRowText, KEY_NAME, ROW_TEXT_EXPECTED } from "../../../model/keys.ts";
import { parseAmount } from "../../config/budget-amount.ts";
import { LIFETIME_EXPECTED, parseLifetime } from "../../config/lifetime.ts";
import { MAX_AMOUNT, RATE_UNITS } from "../../config/rate-amount.ts";
import { STATUSES } from "../key-status.ts";

/** A row of the filter has at most 16 KiB: contract/key-format.ts. */
const MAX_MODELS = 200;
const MAX_TEXT = 200;
const MAX_LIMITS = 16;
const MAX_METADATA = 32;
const MAX_PAGE = 500;
/** Keys and groups of one import request. */
export const MAX_IMPORT = 500;

const NAME = "up to 64 letters, digits, _, - and ., such as research";
const name = z
  .string()
  .regex(KEY_NAME, { error: `expected ${NAME}` })
  .meta({ description: `The name: ${NAME}.` });

const shortText = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .regex(/^[^\p{Cc}]*$/u, { error: "expected a text without control characters" });

const owner = shortText
  .regex(/^[^,]*$/, { error: "expected a text without a comma" })
  .refine(isRowText, { error: `expected ${ROW_TEXT_EXPECTED}` })
  .meta({ description: "The user whom the key belongs to, such as an e-mail address." });

const models = z
  .array(shortText)
  .min(1, { error: "the list is empty; leave it out to allow all models, or disable the key" })
  .max(MAX_MODELS)
  .meta({ description: "Models, aliases and beginnings of names (`openai/*`)." });

const rateLimit = z
  .strictObject({
    tokens: z.int().min(1).max(MAX_AMOUNT).optional(),
    requests: z.int().min(1).max(MAX_AMOUNT).optional(),
    unit: z.enum(RATE_UNITS),
  })
  .refine(({ tokens, requests }) => tokens !== undefined || requests !== undefined, {
    error: "set tokens, requests or both",
  });

const budget = z.strictObject({
  amount: z
    .string()
    .superRefine((text, context) => {
      const amount = parseAmount(text);
      if (typeof amount !== "number") context.addIssue({ code: "custom", message: amount.message });
    })
    .meta({ description: "US dollars: `50 USD`." }),
  per: z.enum(BUDGET_PERIODS),
  unpriced: z.enum(["allow", "reject"]).optional(),
});

const NO_TWINS = "two of the list are for the same requests and period";
function hasNoTwins(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length;
}

const ratelimits = z
  .array(rateLimit)
  .max(MAX_LIMITS)
  .refine(
    (list) =>
      hasNoTwins(
        list.flatMap(({ tokens, requests, unit }) => [
          ...(tokens === undefined ? [] : [`tokens ${unit}`]),
          ...(requests === undefined ? [] : [`requests ${unit}`]),
        ]),
      ),
    { error: NO_TWINS },
  );
const budgets = z
  .array(budget)
  .max(BUDGET_PERIODS.length)
  .refine((list) => hasNoTwins(list.map(({ per }) => per)), { error: NO_TWINS });

const metadata = z
  .record(z.string().min(1).max(64), z.string().max(MAX_TEXT * 2))
  .refine((members) => Object.keys(members).length <= MAX_METADATA, {
    error: `expected at most ${String(MAX_METADATA)} members`,
  })
  .meta({ description: "Anything: texts by name." });

const groups = z.array(name).max(MAX_GROUPS);

const expires = z
  .string()
  .refine((text) => parseLifetime(text) !== undefined || isTime(text), {
    error: `expected ${LIFETIME_EXPECTED}, or a time such as 2027-01-31T00:00:00Z`,
  })
  .meta({ description: "A time (RFC 3339), or how long from now: `90d`." });

function isTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

const version = z
  .int()
  .min(1)
  .meta({ description: "The version that the change is for; 412 if it is not the current one." });

const allowance = {
  models: models.nullable().optional(),
  ratelimits: ratelimits.nullable().optional(),
  budget: budgets.nullable().optional(),
};

export const newKeySchema = z.strictObject({
  name,
  owner: owner.optional(),
  groups: groups.optional(),
  ...allowance,
  expires: expires.nullable().optional(),
  disabled: z.boolean().optional(),
  metadata: metadata.optional(),
});

export const keyUpdateSchema = z.strictObject({
  owner: owner.nullable().optional(),
  groups: groups.optional(),
  ...allowance,
  expires: expires.nullable().optional(),
  disabled: z.boolean().optional(),
  metadata: metadata.nullable().optional(),
  version: version.optional(),
});

export const rotateSchema = z.strictObject({
  grace: z
    .union([z.literal("0"), z.string()])
    .refine((text) => text === "0" || parseLifetime(text) !== undefined, {
      error: `expected 0 or ${LIFETIME_EXPECTED}`,
    })
    .optional()
    .meta({ description: "How long the old key stays valid: `24h`. Default: 0." }),
  version: version.optional(),
});

export const newGroupSchema = z.strictObject({
  name,
  ...allowance,
  metadata: metadata.optional(),
});

export const newUserSchema = z.strictObject({
  name: owner.meta({
    description:
      "The user, as the owner of keys and the claim of tokens have it: an e-mail address.",
  }),
  ...allowance,
  metadata: metadata.optional(),
});

export const groupUpdateSchema = z.strictObject({
  ...allowance,
  metadata: metadata.nullable().optional(),
  version: version.optional(),
});

const imported = z.strictObject({
  ...newKeySchema.shape,
  hash: z.string().regex(/^[0-9a-f]{64}$/, {
    error: "expected the SHA-256 of the key, as 64 hexadecimal digits",
  }),
  hint: z.string().max(40).optional().meta({ description: "What shows the key: `sk-...abcd`." }),
});

export const importSchema = z.strictObject({
  keys: z.array(imported).max(MAX_IMPORT).default([]),
  groups: z.array(newGroupSchema).max(MAX_IMPORT).default([]),
  spent: z
    .array(z.strictObject({ key: name, dollars: z.number().min(0).max(9_000_000) }))
    .max(MAX_IMPORT)
    .default([])
    .meta({
      description: "What was spent with keys in the current period. It counts as of today.",
    }),
});

export const listSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  after: z.string().max(400).optional().meta({ description: "`next` of the page before." }),
  search: shortText.optional().meta({ description: "A part of the name or the owner, or the id." }),
  group: name.optional(),
  owner: shortText.optional(),
  status: z.enum(STATUSES).optional().meta({ description: "Default: all that are not revoked." }),
});

const time = z.string().meta({ description: "A time (RFC 3339)." });

const shownAllowance = {
  models: z.array(z.string()).optional(),
  ratelimits: z.array(rateLimit).optional(),
  budget: z.array(budget).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
};

export const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().meta({ description: "Beginning and end of the key." }),
  status: z.enum(STATUSES),
  owner: z.string().optional(),
  groups: z.array(z.string()),
  ...shownAllowance,
  expires: time.optional(),
  created: time,
  created_by: z.string(),
  updated: time,
  revoked: time.optional(),
  old_key_valid_until: time.optional().meta({ description: "End of a rotation's grace period." }),
  version: z.int(),
});

export const createdKeySchema = keySchema.extend({
  key: z.string().meta({ description: "The key. It is not stored, and shown this once." }),
});

export const groupSchema = z.object({
  name: z.string(),
  source: z
    .enum(["configuration", "api"])
    .meta({ description: "Where it is set; what is in the configuration is changed there." }),
  ...shownAllowance,
  keys: z.int().meta({ description: "How many keys are in the group, or belong to the user." }),
  created: time.optional(),
  updated: time.optional(),
  version: z.int().optional(),
});

export const keyListSchema = z.object({
  data: z.array(keySchema),
  next: z.string().optional().meta({ description: "For `after` of the next page." }),
});
export const groupListSchema = z.object({ data: z.array(groupSchema) });
export const importedSchema = z.object({
  keys: z.int().meta({ description: "How many keys were created." }),
  groups: z.int(),
  unchanged: z.int().meta({
    description: "How many keys (same name and hash) and groups (same members) were there already.",
  }),
});

export const errorSchema = z.object({
  error: z.object({
    type: z.string(),
    message: z.string(),
    fields: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Members that have an invalid value." }),
  }),
});
