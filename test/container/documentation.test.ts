// The first commands of docs/docker.md, as they are printed there.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { freePorts } from "../cli/gateway-command.ts";
import { baseImage, dockerOutput, ROOT, run } from "./docker.ts";
import { requireImages } from "./image.ts";

const SECONDS = { timeout: 60_000, interval: 100 };

/** The lines of the shell blocks before the page's first section. */
function firstCommandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const [own = ""] = text.split("\n## ");
  const blocks = [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.split("\n")).filter((line) => line !== "");
}

describe.skipIf(!inject("canRunContainers"))("docs/docker.md", () => {
  const name = `gateway-${randomUUID().slice(0, 8)}`;
  const directory = mkdtempSync(join(tmpdir(), "gateway-readme-"));

  beforeAll(async () => {
    requireImages();
    await dockerOutput(
      ...["network", "create", "--label", "org.testcontainers=true"],
      ...["--opt", "com.docker.network.bridge.host_binding_ipv4=127.0.0.1", name],
    );
  });
  afterAll(async () => {
    await dockerOutput("rm", "--force", "--volumes", name).catch(() => undefined);
    await dockerOutput("network", "rm", name);
    rmSync(directory, { recursive: true });
  });

  it("docs/docker.md has commands that build the image and serve its ports", async () => {
    const ports = await freePorts();
    const commands = firstCommandsOf("docs/docker.md");
    expect(commands).toHaveLength(2);
    // A docker that changes what a test must not do: wait for the end, take fixed ports of all addresses, and need a configuration of the user.
    const real = (await run("bash", ["-c", "command -v docker"])).stdout.trim();
    const changed = [
      '[ "$1" = run ] || exec "$real" "$@"',
      "shift",
      "words=()",
      'for word in "$@"; do',
      '  case $word in ./gateway.yaml:*) word="$configuration:${word#*:}" ;; *:10000:10000) word="$ingress:10000" ;; *:12000:12000) word="$egress:12000" ;; esac',
      '  words+=("$word")',
      "done",
      'exec "$real" run --detach --name "$name" --network "$name" "${words[@]}"',
    ];
    writeFileSync(join(directory, "docker"), `#!/usr/bin/env bash\n${changed.join("\n")}\n`, {
      mode: 0o755,
    });
    const configuration = join(directory, "gateway.yaml");
    writeFileSync(configuration, "llm_providers: [{ model: demo/gateway-demo }]\n");
    const environment = {
      configuration,
      BASE_IMAGE: await baseImage(),
      PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}`,
      ingress: String(ports.ingress),
      egress: String(ports.egress),
      real,
      name,
    };
    for (const command of commands) {
      const { code, stderr } = await run("bash", ["-c", command], environment);
      expect(code, `${command}: ${stderr}`).toBe(0);
    }
    await vi.waitFor(async () => {
      const response = await fetch(`http://127.0.0.1:${ports.egress}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "none", messages: [{ role: "user", content: "Hello" }] }),
      });
      expect(await response.text()).toContain("no language model");
    }, SECONDS);
  });
});
