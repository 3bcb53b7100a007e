// The recipes of CONTRIBUTING.md name the files that a change edits.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const page = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ""] = section.split("\n");
    const list = /^Files: ([^]*?)(?:\n\n|\n*$)/m.exec(section)?.[1] ?? "";
    return { title, paths: [...list.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path) };
  });
/** Their paths are in the text, because a case or a record is a new file. */
const WITHOUT_FILES = ["Add an exchange case", "Record a decision"];

describe("CONTRIBUTING.md", () => {
  it("each recipe of CONTRIBUTING.md lists files", () => {
    const bare = recipes.filter(({ paths }) => paths.length === 0).map(({ title }) => title);
    expect(bare).toEqual(WITHOUT_FILES);
  });

  it.each(recipes)("each file of the recipe exists: $title", ({ paths }) => {
    const isMissing = (path: string) =>
      globSync(path.replaceAll(/<\w+>/g, "*"), { cwd: ROOT }).length === 0;
    expect(paths.filter(isMissing)).toEqual([]);
  });
});
