// `guards`: policies that look into what clients send and get, each for some or all requests.
import type { z } from "zod";
import { GUARD_ACTIONS } from "../../../contract/guard-kinds.ts";
import {
  GUARD_DIRECTIONS,
  GUARD_ON_FAILURE,
  type GuardPolicy,
} from "../../../model/guard-policies.ts";
import { KEY_NAME } from "../../../model/keys.ts";
import type { Path } from "../../report/problem.ts";
import { GUARD_POLICY_KINDS } from "../guards/guard-policy-kinds.ts";
import type { GuardKind } from "../guards/guard-kind.ts";
import type { Reading } from "../reading.ts";
import { list, mapping, oneOf, text } from "../schema-words.ts";
import { type Draft, section } from "../section.ts";

const KIND_NAMES = GUARD_POLICY_KINDS.map(({ name }) => name) as unknown as readonly [
  GuardPolicy["rules"]["kind"],
];
const ACTIONS = GUARD_ACTIONS as unknown as readonly [GuardPolicy["action"]];

const OF_ALL_KINDS = {
  name: text("The name of the policy in errors, logs and metrics."),
  kind: oneOf(KIND_NAMES, "What the policy does: `mask` finds personal data and secrets."),
  direction: oneOf(GUARD_DIRECTIONS, {
    description:
      "What it looks into: `request` is what a client sends, `response` what a model has written.",
    default: "request",
  }).optional(),
  action: oneOf(ACTIONS, {
    description:
      "What becomes of what it finds: `mask` writes a placeholder in its place, `block` rejects the request or ends the response, `monitor` only counts. Default for `mask` policies: `mask`.",
  }).optional(),
  on_failure: oneOf(GUARD_ON_FAILURE, {
    description:
      "What happens to a request or response that cannot be checked, such as the upload of a file: `deny` rejects it, `allow` lets it pass.",
    default: "deny",
  }).optional(),
  listeners: list(
    oneOf(["ingress", "egress"], ""),
    "The listeners whose requests it applies to. If not set, both.",
  ).optional(),
  keys: list(
    text("The name of a client key."),
    "The names of client keys, of the configuration or created while the gateway runs, whose requests it applies to. If not set, all requests.",
  ).optional(),
  groups: list(
    text("The name of a group."),
    "The groups of client keys whose requests it applies to; with `keys`, those of either.",
  ).optional(),
  models: list(
    text("The name of a model or alias, or a beginning of names (`openai/*`)."),
    "The models, as in the list of a client key, that it applies to. If not set, all models.",
  ).optional(),
};

/** With the keys of all kinds, which the reader of its kind reads. */
const entry = mapping(
  Object.assign(
    {},
    OF_ALL_KINDS,
    ...GUARD_POLICY_KINDS.map(({ keys }) => keys),
  ) as typeof OF_ALL_KINDS,
  "One policy.",
);
type Entry = Draft<z.output<typeof entry>>;

const schema = list(
  entry,
  "Policies that look into requests and responses, in the order in which they apply ([more](guards.md)).",
);

export const guards = section({
  key: "guards",
  schema,
  read({ reading }, entries = []) {
    const first = new Map<string, Path>();
    const policies = entries.flatMap((one, index): GuardPolicy[] => {
      if (one === undefined) return [];
      const path = ["guards", index];
      const policy = readPolicy(reading, path, one);
      if (policy === undefined) return [];
      rejectDuplicate(reading, path, policy.name, first);
      return [policy];
    });
    return policies.length === 0 ? {} : { guards: policies };
  },
});

function readPolicy(reading: Reading, path: Path, one: Entry): GuardPolicy | undefined {
  const { name, direction = "request", on_failure: onFailure } = one;
  const kind = GUARD_POLICY_KINDS.find((known) => known.name === one.kind);
  if (name === undefined || kind === undefined) return undefined;
  if (!KEY_NAME.test(name)) {
    reading.problem(
      [...path, "name"],
      `${reading.show(path, name)} cannot be the name of a policy`,
      {
        hint: "use up to 64 letters, digits, _, - and ., such as personal-data",
      },
    );
    return undefined;
  }
  rejectKeysOfOthers(reading, path, one, kind);
  const rules = kind.read(reading, path, one);
  const action = one.action ?? kind.defaultAction;
  if (rules === undefined) return undefined;
  if (!kind.actions.includes(action)) {
    reading.problem([...path, "action"], `a policy of the kind ${kind.name} cannot ${action}`, {
      hint: `use one of ${kind.actions.join(", ")}`,
    });
    return undefined;
  }
  return {
    name,
    direction,
    action,
    ...(onFailure === "allow" ? { failsOpen: true } : {}),
    ...subjects(reading, path, one),
    rules,
  };
}

const SUBJECTS = ["listeners", "keys", "groups", "models"] as const;

/** Reads what the policy applies to. */
function subjects(
  reading: Reading,
  path: Path,
  one: Entry,
): Pick<GuardPolicy, (typeof SUBJECTS)[number]> {
  return Object.fromEntries(
    SUBJECTS.flatMap((subject) => {
      const written = one[subject];
      if (written === undefined) return [];
      if (written.length === 0) {
        reading.problem([...path, subject], "the list is empty, so the policy would never apply", {
          part: "key",
          hint: `name some, or remove ${subject} for all`,
        });
      }
      return [[subject, written.filter((name) => name !== undefined)]];
    }),
  );
}

/** Reports keys that only policies of other kinds have. */
function rejectKeysOfOthers(reading: Reading, path: Path, one: Entry, kind: GuardKind): void {
  for (const other of GUARD_POLICY_KINDS) {
    for (const key of Object.keys(other.keys)) {
      if (!Object.hasOwn(one, key) || Object.hasOwn(kind.keys, key)) continue;
      reading.problem([...path, key], `a policy of the kind ${kind.name} has no ${key}`, {
        part: "key",
        hint: `remove it; ${other.name} has it`,
      });
    }
  }
}

function rejectDuplicate(
  reading: Reading,
  path: Path,
  name: string,
  first: Map<string, Path>,
): void {
  if (first.has(name)) {
    reading.problem([...path, "name"], "another policy has this name", {
      hint: "rename one of them: logs and metrics show the name",
    });
  }
  first.set(name, path);
}
