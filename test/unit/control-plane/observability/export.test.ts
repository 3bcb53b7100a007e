// The shown requests as files: no cell is a formula in a spreadsheet.
import { expect, it } from "vitest";

const EXPORT = new URL(
  "../../../../control-plane/observability/page/assets/export.js",
  import.meta.url,
);
const { csvOf, jsonOf } = (await import(EXPORT.href)) as {
  csvOf: (rows: object[]) => string;
  jsonOf: (rows: object[]) => string;
};

const ROW = { start: Date.UTC(2026, 10, 22, 14, 3, 30), id: "a", status: 200, cost: 420_000 };

it("CSV has a line of names, and a line for each request", () => {
  const [names, line, end] = csvOf([{ ...ROW, model: "openai/gpt-4o" }]).split("\r\n");
  expect(names?.split(",").slice(0, 4)).toEqual(["time", "id", "status", "model"]);
  expect(line).toBe("2026-11-22T14:03:30.000Z,a,200,openai/gpt-4o,,,,,,,,,,,,0.000420000,,,,,,");
  expect(end).toBe("");
});

it.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ['=HYPERLINK("http://x.test", 1)', `"'=HYPERLINK(""http://x.test"", 1)"`],
  ["a=1", "a=1"],
  ["two\nlines", '"two\nlines"'],
])("CSV has the text %j as %j", (requested, cell) => {
  expect(csvOf([{ ...ROW, requested }])).toContain(`,200,,${cell},`);
});

it("CSV has the session and its sub-agent", () => {
  const [names = "", line = ""] = csvOf([{ ...ROW, session: "ses_1", subagent: "agent-2" }]).split(
    "\r\n",
  );
  const at = names.split(",").indexOf("session");
  expect(names.split(",")[at + 1]).toBe("subagent");
  expect(line.split(",").slice(at, at + 2)).toEqual(["ses_1", "agent-2"]);
});

it("JSON has the members of the API without the order on the page", () => {
  expect(JSON.parse(jsonOf([{ ...ROW, order: 3 }]))).toEqual([ROW]);
});
