// What a container says to a configuration that cannot be used: exit code 2, and the report of `gateway validate`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Desk, openDesk } from "../cli/gateway-command.ts";
import { docker, IMAGE, type Outcome } from "./docker.ts";
import { requireImages } from "./image.ts";

const PROVIDER = "llm_providers:\n  - model: openai/gpt-4o\n    access_key: $OPENAI_API_KEY\n";

describe.skipIf(!inject("canRunContainers"))("a container", () => {
  let desk: Desk;
  beforeAll(async () => {
    requireImages();
    desk = openDesk();
    await desk.run("--version"); // the set-up is complete, and says nothing any more
  });
  afterAll(async () => {
    await desk.clear();
  });

  const run = (mount: string[], ...words: string[]): Promise<Outcome> =>
    docker(
      ...["run", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp"],
      ...[...mount, IMAGE, ...words],
    );
  const mounted = (name: string) => ["-v", `${join(desk.directory, name)}:/app/gateway.yaml:ro`];

  it.each([
    ["a variable that is not set", PROVIDER, "OPENAI_API_KEY"],
    ["unknown and wrong keys", "llm_provider: []\nlisteners:\n  egress: {port: high}\n", ":3:18: "],
    ["no YAML", "llm_providers: [\n", "gateway.yaml:"],
  ])("a container with %s ends with the report of validate", async (_, text, told) => {
    writeFileSync(join(desk.directory, "gateway.yaml"), text);
    const expected = await desk.run("validate", "gateway.yaml");
    const { code, stdout, stderr } = await run(mounted("gateway.yaml"));
    expect(stderr).toContain(told);
    expect({ code, stdout, stderr }).toEqual(expected);
    expect(code).toBe(2);
  });

  it("a container reports the directory that docker made if the file is missing", async () => {
    mkdirSync(join(desk.directory, "missing.yaml")); // as docker does
    const { code, stderr } = await run(mounted("missing.yaml"));
    expect(code).toBe(2);
    expect(stderr).toMatch(/gateway\.yaml cannot be read: it is a directory/);
    expect(stderr).toContain("check the path before the colon of -v");
    const other = await run([], "up", "/app/other.yaml");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("/app/other.yaml cannot be read: there is no");
  });

  it("a container validates a file without starting anything", async () => {
    writeFileSync(join(desk.directory, "gateway.yaml"), PROVIDER);
    const good = await run([...mounted("gateway.yaml"), "-e", "OPENAI_API_KEY=sk-x"], "validate");
    expect(good).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^gateway\.yaml is valid: 1 model, 1 warning\n$/) as string,
    });
  });
});
