// The name of a configured model where the file refers to one: `fallbacks`, an alias's `target`, `targets`.
import type { Target } from "../../model/model.ts";
import { isWildcard } from "../../model/model-names.ts";
import type { Path } from "../report/problem.ts";
import { nameInOtherSpelling } from "./provider-spelling.ts";
import type { Reading } from "./reading.ts";
import { suggest, suggestion } from "../report/suggest.ts";

export interface ModelNames {
  /** All names that clients can use for one model → its index. */
  names: ReadonlyMap<string, number>;
  /** Names of aliases, which stand for models but are none: what each is written to stand for. */
  aliases: ReadonlyMap<string, string | undefined>;
  targets: readonly Target[];
}

/** Returns the index of the model; undefined after reporting a problem. */
export function findModel(
  reading: Reading,
  at: Path,
  written: string,
  { names, aliases, targets }: ModelNames,
): number | undefined {
  const target = names.get(written) ?? names.get(nameInOtherSpelling(written, targets) ?? "");
  if (target !== undefined) return target;
  if (aliases.has(written)) {
    const message =
      at.at(-1) === "target"
        ? "an alias cannot stand for another alias"
        : "an alias cannot stand here; expected the name of a configured model";
    reading.problem(at, message, { hint: insteadOfAlias(written, names, aliases) });
    return undefined;
  }
  if (reading.invalidNames.has(written)) return undefined;
  if (isWildcard(written)) {
    reading.problem(at, "a wildcard stands for many models; expected one of them", {
      hint: "write the whole name of a model, such as openai/gpt-4o",
    });
    return undefined;
  }
  const known = [...names.keys()];
  reading.problem(at, `no configured model is called ${reading.show(at, written)}`, {
    hint:
      suggestion(suggest(written, known)) ??
      (known.length === 0 ? undefined : `the configured models are ${listed(known)}`),
  });
  return undefined;
}

/** The model at the end of the aliases' chain. They may stand for each other. */
function insteadOfAlias(
  alias: string,
  names: ModelNames["names"],
  aliases: ModelNames["aliases"],
): string {
  const seen = new Set<string>();
  let name: string | undefined = alias;
  while (name !== undefined && !seen.has(name) && !names.has(name)) {
    seen.add(name);
    name = aliases.get(name);
  }
  if (name !== undefined && names.has(name)) return `write ${name}`;
  const [first] = names.keys();
  return `write the name of a model${first === undefined ? "" : `, such as ${first}`}`;
}

/**
 * The models of a list, without those that are not configured.
 * @param before models that a request has been at before it comes to this list
 */
export function findModels(
  reading: Reading,
  path: Path,
  list: readonly (string | undefined)[],
  models: ModelNames,
  before: readonly number[],
): number[] {
  const found: number[] = [];
  list.forEach((written, index) => {
    if (written === undefined) return;
    const at = [...path, index];
    const target = findModel(reading, at, written, models);
    if (target === undefined) return;
    if (before.includes(target)) {
      reading.problem(at, "a model cannot be its own fallback", { hint: "leave it out" });
    } else if (found.includes(target)) {
      reading.problem(at, "this model is already in the list", { hint: "leave it out" });
    } else found.push(target);
  });
  return found;
}

/** Some of the names, for a hint. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(", ");
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
