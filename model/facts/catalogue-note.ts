// How old the facts and prices of models are, for commands that show them.
import { catalogueSources } from "./model-facts.ts";

/** Returns `litellm 1.110.2 of 2026-11-20, …`. */
export function catalogueNote(): string {
  const packages = catalogueSources().filter(({ sha256 }) => sha256 !== "");
  return packages
    .map(({ name, version, date }) => `${name.replace(/^\S+ /, "")} ${version} of ${date}`)
    .join(", ");
}
