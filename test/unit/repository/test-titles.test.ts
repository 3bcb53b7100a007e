// The title of a test begins with its subject, so that a failing line can be read alone.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const TEST = join(import.meta.dirname, "../..");

/** Words that are no subject: verbs, prepositions, conjunctions and pronouns. */
const NO_SUBJECT = new Set(
  `
  about accepts adds after aligns also and answers apply are as asks at back be because becomes
  before behind beside besides between break but by calls can cannot catches changes charge choose
  chooses clears come comes compares completes computes contacts continues costs creates cuts
  delays did differs do does down downloads drops during embeds ends exceed exist exists explains
  fails falls finds fits follow for frees from generates gets give gives go goes grants groups
  grow grows had has have hold holds if impersonates in into is it its judges keep keeps knows
  learns leave leaves let lets listens lists loads logs looks lose loses make makes masks match
  matches may moves multiplies must names needs negotiates never nor not notices of offers on or
  out over overshoot passes prefers prints probes pushes puts raises reached reaches reads refuses
  rejects reloads renames reopens repeats report reports restarts retries returns rotates runs
  says scores scrapes see sees sends serves sets share shows skips starts states stay stays still
  stops streams take takes tell tells than that their them these they this those through throws to
  tries truncates turns under unescape until up uses validates verifies waits was were what when
  where which while who whose with within without works writes
`
    .trim()
    .split(/\s+/),
);

/** Returns `it` of `it(…)`, `it.skipIf(…)(…)`, `it.each(…)(…)` and the like. */
function calledName(call: ts.CallExpression): string {
  let called: ts.Expression = call.expression;
  while (!ts.isIdentifier(called)) {
    if (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called))
      called = called.expression;
    else return "";
  }
  return called.text;
}

function titlesOf(file: string): string[] {
  const text = readFileSync(join(TEST, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:it|test)$/.test(calledName(node))) {
      const [title] = node.arguments;
      if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push(title.getText().slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

it("a title begins with its subject", () => {
  const files = globSync("**/*.test.ts", { cwd: TEST });
  const titles = files.flatMap((file) => titlesOf(file).map((title) => ({ file, title })));
  expect(titles.length).toBeGreaterThan(1_500);
  const firstWord = (title: string): string => title.split(/[ ,:;]/, 1)[0] ?? "";
  expect(titles.filter(({ title }) => NO_SUBJECT.has(firstWord(title)))).toEqual([]);
});
