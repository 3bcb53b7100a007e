// `model_aliases`: each stands for one configured model, and takes no other name away.
import type { Alias } from "../model.ts";
import { checkName } from "./name-rules.ts";
import { clientNames } from "./names.ts";
import type { Path } from "./problem.ts";
import type { PlacedTarget } from "./entry-names.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";
import { isMisspelt } from "./unknown-key.ts";
import { suggest, suggestion } from "./suggest.ts";

export function readAliases(
  reading: Reading,
  aliases: Draft<NonNullable<Configuration["model_aliases"]>>,
  targets: readonly PlacedTarget[],
  defaultTarget: number,
): Alias[] {
  const names = new Map(
    clientNames({ targets: targets.map(({ target }) => target), aliases: [], defaultTarget }).map(
      ({ name, target }) => [name, target],
    ),
  );
  const mentioned = new Set(Object.keys(aliases));
  return Object.entries(aliases).flatMap(([name, alias]): Alias[] => {
    const path = ["model_aliases", name];
    const safe = checkName(reading, path, name, "key");
    if (alias === undefined) return [];
    if (alias.target === undefined) {
      const wasGiven = Object.hasOwn(alias, "target") || isMisspelt(path, alias, "target");
      if (!wasGiven && alias.targets === undefined) {
        reading.problem(path, "target is missing; expected the name of a configured model", {
          part: "key",
        });
      }
      return [];
    }
    if (alias.targets !== undefined) {
      reading.problem([...path, "targets"], "target and targets are both given; expected one", {
        part: "key",
      });
    }
    const target = names.get(alias.target);
    if (target === undefined) reportTarget(reading, path, alias.target, { names, mentioned });
    const meaning = names.get(name);
    if (meaning !== undefined && meaning !== target) {
      const model = targets[meaning]?.target.name ?? name;
      reading.problem(path, `this alias already is a name of the model ${model}`, { part: "key" });
    }
    return safe === undefined || target === undefined ? [] : [{ name: safe, target }];
  });
}

function reportTarget(
  reading: Reading,
  path: Path,
  written: string,
  { names, mentioned }: { names: ReadonlyMap<string, number>; mentioned: ReadonlySet<string> },
): void {
  const at = [...path, "target"];
  if (mentioned.has(written)) {
    reading.problem(at, "an alias cannot stand for another alias", {
      hint: "write the model that the other alias stands for",
    });
    return;
  }
  if (reading.misread.has(written)) return;
  const known = [...names.keys()];
  reading.problem(at, `no configured model is called ${reading.show(at, written)}`, {
    hint:
      suggestion(suggest(written, known)) ??
      (known.length === 0 ? undefined : `the configured models are ${listed(known)}`),
  });
}

/** Some of the names, for a hint. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(", ");
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
