// model/dropped-members.json: why a member of a request is dropped, from the tables that the filter uses.
import { readDialectTables } from "./dialect-tables.ts";
import type { DialectTables } from "./dialect-tables.ts";

/** Returns the file: the members of each client dialect, and how each provider dialect writes a slot. */
export function droppedReasons(): string {
  const dialects = readDialectTables();
  return JSON.stringify({
    members: byDialect(
      dialects.filter(({ hasClients }) => hasClients),
      membersOf,
    ),
    notes: byDialect(dialects, notesOf),
  });
}

function byDialect<Value>(dialects: DialectTables[], of: (dialect: DialectTables) => Value) {
  return Object.fromEntries(dialects.map((dialect) => [dialect.name, of(dialect)]));
}

/** Path → the title of its feature, or the number of its slot. */
function membersOf({ tables }: DialectTables): Record<string, string | number> {
  const entries = tables.flatMap(({ prefix, members }) =>
    members.flatMap(({ name, feature, slot }): [string, string | number][] => {
      const value = feature?.title ?? slot;
      return value === undefined ? [] : [[`${prefix}${name}`, value]];
    }),
  );
  return Object.fromEntries(entries);
}

/** Slot → how the dialect writes it. */
function notesOf({ tables, notWritten }: DialectTables): Record<number, string> {
  const written = tables.flatMap(({ members }) =>
    members.flatMap(({ slot, writes }): [number, string][] =>
      slot === undefined || writes === "" ? [] : [[slot, writes]],
    ),
  );
  const missing = [...notWritten].map(([slot, fate]): [number, string] => [
    slot,
    fate.replaceAll("*", ""),
  ]);
  return Object.fromEntries([...missing, ...written]);
}
