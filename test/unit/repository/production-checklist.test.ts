// The production checklist: each line has a link or a command, and the commands exist. Links are checked with those of all pages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildProgram } from "../../../control-plane/cli.ts";

const DOCS = join(import.meta.dirname, "../../../docs");
const read = (page: string) => readFileSync(join(DOCS, page), "utf8");
const COMMAND = /`gateway ([a-z]+)((?: [^`]*)?)`/g;

/** The lines to tick, each with its continuation. */
const LINES = read("production.md")
  .split(/^- \[ \] /m)
  .slice(1)
  .map((text) => text.split("\n\n")[0] ?? "");

it("the production checklist has every subject that it has to have", () => {
  const subjects = ["TLS", "keys", "budgets", "limits", "outlasts", "metrics", "alert", "upgrad"];
  const text = LINES.join("\n").toLowerCase();
  expect(LINES.length).toBeGreaterThan(15);
  expect(subjects.filter((subject) => !text.includes(subject.toLowerCase()))).toEqual([]);
});

const NUMBERED = LINES.map((line, index) => [index + 1, line] as const);
it.each(NUMBERED)("line %i of the production checklist has a link or a command", (_, line) => {
  expect(line).toMatch(/\]\([^)]+\)|`gateway [a-z]+/);
});

it.each(["production.md", "upgrading.md"])("%s names commands and options that exist", (page) => {
  const commands = new Map(buildProgram().commands.map((command) => [command.name(), command]));
  const unknown = [...read(page).matchAll(COMMAND)].flatMap(([, name = "", rest = ""]) => {
    const options = commands.get(name)?.options.map(({ long }) => long);
    const asked = [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    if (options === undefined) return [name];
    return asked.filter((option) => !options.includes(option)).map((one) => `${name} ${one}`);
  });
  expect(unknown).toEqual([]);
});
