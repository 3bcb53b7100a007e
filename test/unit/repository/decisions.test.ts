// docs/decisions: one form for all records, and an index of them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "docs/decisions");
const RECORDS = globSync("2*.md", { cwd: FOLDER });
const STATUS =
  /^Status: (?:accepted|superseded by \[[^\]]+\]\([^)]+\)), \d{4}-\d{2}-\d{2}[^\n]*\.$/;

describe("docs/decisions", () => {
  it("docs/decisions has an index line for each record", () => {
    const index = readFileSync(join(FOLDER, "README.md"), "utf8");
    const listed = [...index.matchAll(/^- \[[^\]]+\]\((2[^)]+)\): .+$/gm)].map(([, file]) => file);
    expect(listed).toEqual([...RECORDS].sort());
  });

  it.each(RECORDS)("a decision record has the common form: %s", (file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const [title = "", , status = ""] = text.split("\n");
    expect(title).toMatch(/^# \S/);
    expect(status).toMatch(STATUS);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      "Context",
      "Decision",
      "Consequences",
      "Alternatives",
    ]);
  });

  it("a decision record is cited by a name that exists", () => {
    const sources = globSync(
      ["contract", "control-plane", "envoy", "filter", "model", "scripts", "test"].map(
        (folder) => `${folder}/**/*.ts`,
      ),
      { cwd: ROOT },
    );
    const broken = sources.flatMap((source) =>
      [...readFileSync(join(ROOT, source), "utf8").matchAll(/docs\/decisions\/(2[\w-]+\.md)/g)]
        .filter(([, file = ""]) => !RECORDS.includes(file))
        .map(([citation]) => `${source}: ${citation}`),
    );
    expect(broken).toEqual([]);
  });
});
