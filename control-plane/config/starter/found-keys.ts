// The providers whose keys are in the environment, for a start without a configuration and for `gateway init`.
import { STARTERS } from "../../providers/starters.ts";
import type { Starter } from "../../providers/starters.ts";
import type { Environment } from "../../report/environment.ts";

export interface FoundKey extends Starter {
  /** The environment variable with the key. */
  variable: string;
  /** The environment variable for the key of the entry that its address needs. */
  addressVariable?: string;
}

/** Returns the providers that can be used, each with the first of its variables that is set. */
export function foundKeys(environment: Environment): FoundKey[] {
  const first = (variables: readonly string[]) =>
    variables.find((name) => (environment[name] ?? "").trim() !== "");
  return STARTERS.flatMap((starter): FoundKey[] => {
    const variable = first(starter.variables);
    const addressVariable = first(starter.address?.variables ?? []);
    if (variable === undefined) return [];
    if (starter.address === undefined) return [{ ...starter, variable }];
    return addressVariable === undefined ? [] : [{ ...starter, variable, addressVariable }];
  });
}
