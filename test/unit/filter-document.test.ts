// The declarations of the filter's document: no member that only the control plane or only the filter knows.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as declarations from "../../contract/filter-document.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../model/model.ts";

const DECLARED: Readonly<Record<string, string>> = declarations;
/** Members that no configuration of test/config has. */
const NOT_CONFIGURED = ["DOCUMENT_HELD_MEMORY", "TARGET_OWN_SYSTEM_PROMPT"];

const filter = globSync("filter/config/*.ts").map((file) => readFileSync(file, "utf8"));
const read = filter.join("\n").matchAll(/\bmembers\.([A-Z_]+)/g);
const written = new Set<string>();
for (const file of globSync("test/config/*/model.json")) {
  const model = JSON.parse(readFileSync(file, "utf8")) as GatewayModel;
  addWritten(filterConfig(model), "Document");
}

/** Adds the constants of the members that a value of a declared type has. */
function addWritten(value: unknown, type: string): void {
  if (Array.isArray(value)) for (const item of value) addWritten(item, type.replace("[]", ""));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [member, child] of Object.entries(value)) {
    const name = `${type}_${member}`.toUpperCase();
    const declaration = DECLARED[name];
    if (declaration === undefined) continue;
    written.add(name);
    addWritten(child, declaration.split(/: | = /)[1] ?? "");
  }
}

describe("the filter's document", () => {
  it("the filter's document has a constant named after its object and its member for each member", () => {
    for (const [name, declaration] of Object.entries(DECLARED)) {
      const [member = ""] = declaration.split(/\??: /);
      expect(name).toMatch(new RegExp(`^[A-Z]+_${member.toUpperCase()}$`));
    }
  });

  it("the filter's document has no member that the filter does not read", () => {
    expect(new Set([...read].map(([, name]) => name))).toEqual(new Set(Object.keys(DECLARED)));
  });

  it("the filter's document has no member that the control plane does not write", () => {
    expect([...written, ...NOT_CONFIGURED].sort()).toEqual(Object.keys(DECLARED).sort());
  });
});
