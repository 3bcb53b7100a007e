// The quick start of README.md and docs/installing.md as a newcomer types it: `gateway` on PATH, and every configuration
// that README prints.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BINARY, type Desk, openDesk } from "./gateway-command.ts";

const ROOT = dirname(dirname(BINARY));
const blocks = (page: string, language: string): string[] =>
  [
    ...readFileSync(join(ROOT, page), "utf8").matchAll(
      new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"),
    ),
  ].map(([, block = ""]) => block);

let desk: Desk;
beforeAll(() => {
  desk = openDesk();
});
afterAll(() => desk.clear());

/** In a shell of the user, whose home is the desk's. */
function type(command: string, cwd: string, environment: Record<string, string> = {}) {
  const home = desk.environment["HOME"] ?? "";
  const path = [join(home, ".local/bin"), desk.environment["PATH"] ?? ""].join(delimiter);
  return spawnSync("bash", ["-c", command], {
    encoding: "utf8",
    cwd,
    env: { ...desk.environment, PATH: path, ...environment },
  });
}

it("the line of docs/installing.md puts gateway on PATH", () => {
  const commands = blocks("docs/installing.md", "sh");
  const line = commands.find((block) => block.includes(".local/bin")) ?? "";
  expect(type(line, ROOT)).toMatchObject({ status: 0, stderr: "" });
  expect(type("gateway --version", desk.directory)).toMatchObject({ status: 0, stderr: "" });
  // And it can be typed again.
  expect(type(line, ROOT)).toMatchObject({ status: 0, stderr: "" });
});

it.each(blocks("README.md", "yaml").map((block, at) => [at, block] as const))(
  "configuration %i is valid",
  (_, block) => {
    writeFileSync(join(desk.directory, "gateway.yaml"), block);
    const names = [...block.matchAll(/\$([A-Z_]+)/g)].map(([, name = ""]) => [name, "sk-test"]);
    const keys = Object.fromEntries(names) as Record<string, string>;
    expect(type("gateway validate", desk.directory, keys)).toMatchObject({ status: 0, stderr: "" });
  },
);

it("the first configuration has three lines", () => {
  expect(blocks("README.md", "yaml")[0]?.trim().split("\n")).toHaveLength(3);
});
