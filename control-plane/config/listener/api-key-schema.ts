// The schema of `listeners.<name>.api_keys`: a reference to a key, or a key with a name and with what it may use.
import { z } from "zod";
import { BUDGET_KEYS } from "../budget-amount.ts";
import { rateAmount } from "../rate-amount.ts";
import { list, mapping, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const REFERENCE = "a reference to an environment variable, such as $TEAM_KEY";

const reference = text(
  { description: "A reference to a key.", examples: ["$TEAM_KEY"] },
  REFERENCE,
);

const amount = mapping(BUDGET_KEYS, "One budget.");
const A_BUDGET = "a budget, such as {amount: 50 USD, per: month}, or a list of them";

const namedKey = mapping(
  {
    key: text(
      {
        description: "A reference to the environment variable with the key.",
        examples: ["$TEAM_KEY"],
      },
      REFERENCE,
    ),
    name: text(
      {
        description:
          "The name of the key in errors, metrics, usage records and budgets: letters, digits, `_`, `-` and `.`. If not set, the name of the variable.",
        examples: ["research"],
      },
      "a name",
    ).optional(),
    models: list(
      text(
        "A configured model, an alias, a model under a wildcard, or all models whose names begin alike: `openai/*`.",
        "the name of a model",
      ),
      "The only models that the key may be used for; other models return 403 ([more](budgets.md#keys)). If not set, all models.",
    ).optional(),
    ratelimits: list(
      rateAmount("One limit: `tokens`, `requests` or both."),
      "Limits of all requests with this key together, such as `[{requests: 60, unit: minute}]`.",
    ).optional(),
    budget: z
      .union([amount, z.array(amount, { error: A_BUDGET })], { error: A_BUDGET })
      .meta({
        description:
          "How much money the requests with this key may cost in a period: a budget or a list of them ([more](budgets.md#budgets)).",
      })
      .optional(),
  },
  "One key.",
);

export const apiKeysSchema = list(
  z
    .union([namedKey, reference], { error: REFERENCE })
    .meta({ description: "A key: a reference alone, or a mapping." }),
  "API keys that clients must send, as references to environment variables: see docs/securing.md. An entry is a reference alone, or a mapping with a name and with what the key may be used for. If not set, anyone who can reach the listener can use it.",
);

export type ApiKeyDrafts = Draft<z.output<typeof apiKeysSchema>>;
export type NamedKeyDraft = Draft<z.output<typeof namedKey>>;
