// No file has what git leaves of a merge that nobody has resolved, also as prettier formats it in Markdown.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const MARKERS = "^(<<<<<<<|>>>>>>>|> > > > > > >) ";

it("tracked text files have no conflict markers", () => {
  const { status, stdout } = spawnSync("git", ["grep", "-InE", MARKERS], {
    cwd: ROOT,
    encoding: "utf8",
  });
  // 1: nothing was found; anything else is a find or a failure of git.
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});
