// `passthrough_auth` where there are several targets: the key that a client sends is for one provider only.
import type { Target, TargetSet } from "../../../model/model.ts";
import type { PlacedTarget } from "./entry-names.ts";
import type { Reading } from "../reading.ts";

/** Rejects configurations that would send a client's key for one provider to a second provider on failure. */
export function refuseSharedClientKeys(
  reading: Reading,
  sets: readonly TargetSet[],
  placed: readonly PlacedTarget[],
): void {
  for (const set of sets) {
    const passing = set.targets
      .map((index) => placed[index]?.target)
      .filter((target): target is Target => target?.auth.passesClientKey === true);
    const [first] = passing;
    const other = passing.find(({ authority }) => authority !== first?.authority);
    if (first === undefined || other === undefined) continue;
    const path = "name" in set ? ["model_aliases", set.name] : (placed[set.of]?.path ?? []);
    const message = `a client's key for ${first.name} would be sent to ${other.name} too`;
    reading.problem(path, message, {
      part: "key",
      hint: "set an access_key instead of passthrough_auth for one of them, or remove it here",
    });
  }
}
