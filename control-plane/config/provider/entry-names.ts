// One name has one meaning among the entries of `llm_providers`: each model once, each name once, and bare names that are clear.
import type { Proxy, Target } from "../../../model/model.ts";
import { clientNames } from "../../../model/model-names.ts";
import type { Path } from "../../report/problem.ts";
import type { Reading } from "../reading.ts";

/** A target and the place of its entry in the file. */
export interface PlacedTarget {
  path: Path;
  target: Target;
  /** The proxy of the entry: false for none; absent: the default one. */
  proxy?: Proxy | false;
}

export function checkEntryNames(
  reading: Reading,
  placed: readonly PlacedTarget[],
  defaultTarget: number,
): void {
  const models = new Map<string, PlacedTarget>();
  const names = new Map<string, PlacedTarget>();
  for (const entry of placed) {
    const { path, target } = entry;
    const twin = models.get(target.name);
    if (twin === undefined) models.set(target.name, entry);
    else {
      reading.problem([...path, "model"], `${target.name} is configured twice`, {
        hint: `the first one is ${placeOf(reading, twin)}; remove one of them`,
      });
    }
    if (target.configuredName === undefined) continue;
    const namesake = names.get(target.configuredName);
    if (namesake === undefined) names.set(target.configuredName, entry);
    else {
      reading.problem([...path, "name"], `two entries have the name ${target.configuredName}`, {
        hint: `the first one is ${placeOf(reading, namesake)}; use a different name`,
      });
    }
  }
  for (const entry of placed) refuseTakenName(reading, entry, placed);
  warnOfSharedBareNames(reading, placed, defaultTarget);
}

/** A `name` may repeat its entry's model name, even a shared one: it then selects this entry. */
function refuseTakenName(
  reading: Reading,
  { path, target }: PlacedTarget,
  placed: readonly PlacedTarget[],
): void {
  const name = target.configuredName;
  if (name === undefined) return;
  const owner = placed.find(
    ({ target: other }) =>
      other !== target && (other.name === name || (other.model === name && target.model !== name)),
  );
  if (owner === undefined || target.name === name) return;
  reading.problem([...path, "name"], `${name} already is a name of ${owner.target.name}`, {
    hint: `that model is ${placeOf(reading, owner)}; use a different name`,
  });
}

function warnOfSharedBareNames(
  reading: Reading,
  placed: readonly PlacedTarget[],
  defaultTarget: number,
): void {
  const targets = placed.map(({ target }) => target);
  const names = clientNames({ targets, aliases: [], defaultTarget });
  const meanings = new Map(names.map(({ name, target }) => [name, target]));
  placed.forEach(({ path, target }, index) => {
    const meaning = meanings.get(target.model);
    const other = meaning === undefined ? undefined : targets[meaning];
    if (meaning === index || other === undefined || other.name === target.name) return;
    reading.warning(
      [...path, "model"],
      `the bare name ${target.model} means ${other.name}, not ${target.name}`,
      target.configuredName === undefined
        ? { hint: "clients must use the full name; or set a name for this entry" }
        : {},
    );
  });
}

function placeOf(reading: Reading, placed: PlacedTarget): string {
  return `in line ${reading.document.place([...placed.path, "model"]).line}`;
}
