// The schema of `listeners.<name>.api_keys`: a reference to a key, or a key with a name and with what it may use.
import { z } from "zod";
import { allowanceKeys } from "../allowance.ts";
import { list, mapping, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const REFERENCE = "a reference to an environment variable, such as $TEAM_KEY";

const reference = text(
  { description: "A reference to a key.", examples: ["$TEAM_KEY"] },
  REFERENCE,
);

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
    groups: list(
      text("The name of a group.", "the name of a group"),
      "Groups that the key belongs to ([more](keys.md#groups)).",
    ).optional(),
    owner: text(
      {
        description:
          "The user whom the key belongs to, such as an e-mail address ([more](keys.md#users)). If not set, requests with the key have no user.",
        examples: ["ann@example.com"],
      },
      "the name of a user",
    ).optional(),
    ...allowanceKeys({
      models:
        "The only models that the key may be used for; other models return 403 ([more](budgets.md#keys)). If not set, all models.",
      ratelimits:
        "Limits of all requests with this key together, such as `[{requests: 60, unit: minute}]`.",
      budget:
        "How much money the requests with this key may cost in a period: a budget or a list of them ([more](budgets.md#budgets)).",
    }),
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
