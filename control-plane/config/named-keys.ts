// The entries of `listeners.<name>.api_keys` that are mappings, for the checks that need models.
import type { Path } from "../report/problem.ts";
import type { ListenersDraft } from "./sections/listeners.ts";
import type { NamedKeyDraft } from "./listener/api-key-schema.ts";

/** Returns the entries of both listeners, each with its place in the file. */
export function namedKeys(
  listeners: ListenersDraft | undefined,
): { path: Path; entry: NamedKeyDraft }[] {
  const isList = Array.isArray(listeners);
  return Object.entries(listeners ?? {}).flatMap(([key, listener]) => {
    const path = ["listeners", isList ? Number(key) : key, "api_keys"];
    return (listener?.api_keys ?? []).flatMap((entry, index) =>
      typeof entry === "object" ? [{ path: [...path, index], entry }] : [],
    );
  });
}
