// References to environment variables inside a value.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReferences } from "../../../../control-plane/config/reference.ts";

describe("references", () => {
  it.each([
    ["$NAME", [{ environment: "NAME" }]],
    ["${NAME}", [{ environment: "NAME" }]],
    ["${A}$B", [{ environment: "A" }, { environment: "B" }]],
    ["$A-b", [{ environment: "A" }, { text: "-b" }]],
    ["Bearer $_x1", [{ text: "Bearer " }, { environment: "_x1" }]],
    ["$$NAME", [{ text: "$NAME" }]],
    ["$$$NAME", [{ text: "$" }, { environment: "NAME" }]],
    ["costs $5, or 5$", [{ text: "costs $5, or 5$" }]],
    ["", []],
  ])("%j", (value, parts) => {
    expect(parseReferences(value)).toMatchObject({ parts, malformed: [] });
  });

  it.each(["${", "${}", "${1A}", "${A", "${A:-b}", "${A-B}"])("%j begins none", (value) => {
    expect(parseReferences(value)).toMatchObject({ names: [], malformed: [expect.any(String)] });
  });

  it("a variable is named once, however often it occurs", () => {
    expect(parseReferences("$A ${A} $B $A").names).toEqual(["A", "B"]);
  });

  it("a text whose dollars are doubled is returned", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { parts, names } = parseReferences(text.replaceAll("$", "$$$$"));
        expect(names).toEqual([]);
        expect(parts.map((part) => ("text" in part ? part.text : "")).join("")).toBe(text);
      }),
    );
  });
});
