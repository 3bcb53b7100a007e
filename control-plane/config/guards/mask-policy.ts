// Policies of the kind `mask`: personal data and secrets, which the filter finds itself.
import { GUARD_KINDS } from "../../../contract/guard-kinds.ts";
import { flag, list, oneOf } from "../schema-words.ts";
import { guardKind } from "./guard-kind.ts";

/** Words for several kinds. `default`: those that hardly any other text looks like. */
const FEW_FALSE_ALARMS = [
  "email",
  "phone",
  "iban",
  "card",
  "secret",
  "private_key",
  "url_credentials",
];
const IDS = GUARD_KINDS.filter((kind) => kind.startsWith("id_"));
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["default", [...FEW_FALSE_ALARMS, ...IDS]],
  ["ids", IDS],
  ["all", GUARD_KINDS],
]);

export const mask = guardKind({
  name: "mask",
  actions: ["mask", "block", "monitor"],
  defaultAction: "mask",
  keys: {
    find: list(
      oneOf([...GROUPS.keys(), ...GUARD_KINDS] as unknown as readonly [string, ...string[]], ""),
      "The kinds of data, or `default`, `ids` (all national ids) or `all` ([what each finds](guards.md#kinds)). Default: `default`, which is all but `ip` and `mac`.",
    ).optional(),
    reversible: flag({
      description:
        "Whether the placeholders of a request become their values again in the response, in tool arguments too.",
      default: true,
    }).optional(),
  },
  read(_reading, _path, { find = ["default"], reversible = true }) {
    const wanted = new Set(find.flatMap((word = "") => GROUPS.get(word) ?? [word]));
    return {
      kind: "mask",
      find: GUARD_KINDS.filter((kind) => wanted.has(kind)),
      ...(reversible ? { isReversible: true as const } : {}),
    };
  },
});
