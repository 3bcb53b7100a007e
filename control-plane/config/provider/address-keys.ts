// The keys from which the address of a cloud is made: each is checked, and rejected where it would be ignored.
import type { Cloud } from "../../providers/cloud.ts";
import { ADDRESS_KEYS } from "../../providers/cloud-address.ts";
import type { AddressKey, AddressValues } from "../../providers/cloud-address.ts";
import { CLOUDS } from "../../providers/clouds.ts";
import type { Path } from "../../report/problem.ts";
import { showWord, type Reading } from "../reading.ts";
import type { AddressKeyRule } from "./address-key.ts";
import { ADDRESS_KEY_RULES } from "./address-key-rules.ts";
import type { ProviderDraft } from "./entry.ts";

/** Returns the values of the keys, with defaults; undefined after a problem was reported. */
export function readAddressKeys(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  cloud: Cloud,
): AddressValues | undefined {
  const values: AddressValues = { ...cloud.defaults };
  let isValid = true;
  for (const key of cloud.keys) {
    const value = entry[key];
    // A value of the wrong type has a problem already.
    if (value === undefined) {
      if (Object.hasOwn(entry, key)) isValid = false;
      continue;
    }
    const rule = ruleOf(cloud, key);
    values[key] = value;
    if (rule.pattern.test(value)) continue;
    isValid = false;
    const at = [...path, key];
    const correct = reading.isShowable(at, value) ? rule.correct?.(value) : undefined;
    reading.problem(at, `expected ${rule.expected}, not ${reading.show(at, value)}`, {
      hint: correct === undefined ? undefined : `write ${key}: ${correct}`,
    });
  }
  return isValid ? values : undefined;
}

/** Returns the rule of a key of a cloud. */
function ruleOf({ rules }: Cloud, key: AddressKey): AddressKeyRule {
  const { [key]: own } = rules ?? {};
  const { schema, ...rule } = ADDRESS_KEY_RULES[key];
  return own === undefined ? { schema, ...rule } : { schema, ...own };
}

/** Reports the keys that an entry has and its provider does not use. */
export function refuseAddressKeys(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  provider: string,
  used: readonly AddressKey[],
): void {
  for (const key of ADDRESS_KEYS) {
    if (entry[key] === undefined || used.includes(key)) continue;
    const owners = CLOUDS.filter(({ keys }) => keys.includes(key)).map(({ name }) => name);
    reading.problem([...path, key], `${showWord(provider)} has no ${key}`, {
      part: "key",
      hint: `${key} is a key of ${owners.join(" and ")}; remove it`,
    });
  }
}

/** Reports keys that are missing; `model` may show a value. */
export function reportMissing(
  reading: Reading,
  path: Path,
  cloud: Cloud,
  keys: readonly AddressKey[],
  model: string,
): void {
  for (const key of keys) {
    const rule = ruleOf(cloud, key);
    const shown = rule.inModel?.exec(model)?.[1];
    reading.problem(path, `${key} is missing; ${cloud.title} needs it`, {
      hint: shown === undefined ? rule.missing : `write ${key}: ${shown}`,
    });
  }
}
