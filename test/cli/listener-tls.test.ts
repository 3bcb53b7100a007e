// TLS for clients, by the command line and the real Envoy: what is said of bad files, and new files taken up while it runs.
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { dirname, join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { embeddedModelDirectory } from "../../control-plane/model-server/embedded-model.ts";
import { createAuthority } from "../gateway/certificates.ts";
import type { Certificate } from "../gateway/certificates.ts";
import { configurationOn, type Desk, freePorts, openDesk, type Ports } from "./gateway-command.ts";

const SECONDS = { timeout: 60_000, interval: 50 };
const DAY = 24 * 3_600_000;
const authority = createAuthority();

let desk: Desk;
let ports: Ports;
beforeEach(async () => {
  ports = await freePorts();
  const tls = "tls: {certificate: tls/tls.crt, key: tls/tls.key}";
  const text = configurationOn(ports).replaceAll(/(port: \d+)\}/g, `$1, ${tls}}`);
  desk = openDesk({ "gateway.yaml": text });
  mkdirSync(join(desk.directory, "tls"));
  desk.environment["XDG_CACHE_HOME"] = dirname(dirname(embeddedModelDirectory(process.env)));
});
afterEach(() => desk.clear());

const issue = (...names: string[]): Certificate => authority.issueFor(names, [-DAY, 90 * DAY]);

function put({ cert, key }: Certificate, folder = "tls"): void {
  writeFileSync(join(desk.directory, folder, "tls.crt"), cert);
  writeFileSync(join(desk.directory, folder, "tls.key"), key);
}

/** The names of the certificate that a new connection is shown, and what was agreed on. */
function greet(port = ports.egress): Promise<{ names: string; protocol: string; alpn: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      {
        port,
        host: "127.0.0.1",
        ca: authority.cert,
        servername: "one.test",
        ALPNProtocols: ["h2", "http/1.1"],
        checkServerIdentity: () => undefined,
      },
      () => {
        const { subjectaltname: names = "" } = socket.getPeerCertificate();
        resolve({ names, protocol: socket.getProtocol() ?? "", alpn: socket.alpnProtocol });
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

function get(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(
      { port: ports.egress, host: "127.0.0.1", path, ca: authority.cert, servername: "one.test" },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on("error", reject)
      .end();
  });
}

it("certificate files that cannot serve are rejected with exit code 2", async () => {
  put({ ...issue("one.test"), key: issue("other.test").key });
  for (const words of [["validate"], ["up", "--concurrency", "1"]]) {
    const outcome = await desk.run(...words);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/egress\.tls\.key: the file is not the key of the certificate/);
    expect(outcome.stderr + outcome.stdout).not.toContain("BEGIN");
  }
});

it("a TLS listener serves HTTP/1.1 and HTTP/2, and reloads certificate files that are written in place", async () => {
  put(issue("one.test"));
  const up = await desk.run("up", "--detach", "--concurrency", "1");
  expect(up.stderr).toBe("");
  expect(up.code).toBe(0);
  expect(up.stdout).toContain(`https://127.0.0.1:${ports.egress}/v1`);
  expect(up.stdout).not.toContain("http://");
  expect((await desk.run("status")).code).toBe(0);

  expect(await get("/healthz")).toBe(200);
  const first = await greet();
  expect(first).toMatchObject({ names: "DNS:one.test", alpn: "h2" });
  expect(first.protocol).toMatch(/^TLSv1\.[23]$/);
  const session = connect(`https://127.0.0.1:${ports.egress}`, {
    ca: authority.cert,
    servername: "one.test",
  });
  const stream = session.request({ ":path": "/v1/models" });
  const [headers] = await new Promise<[Record<string, unknown>]>((resolve) => {
    stream.on("response", (got) => {
      resolve([got]);
    });
  });
  expect(headers[":status"]).toBe(200);
  stream.destroy();
  await expect(
    fetch(`http://127.0.0.1:${ports.egress}/healthz`).then(({ status }) => status),
  ).rejects.toThrow();

  put(issue("two.test"));
  await vi.waitFor(async () => {
    expect((await greet()).names).toBe("DNS:two.test");
    expect((await greet(ports.ingress)).names).toBe("DNS:two.test");
  }, SECONDS);
  // Who was connected stays connected.
  expect(session.destroyed).toBe(false);
  session.destroy();

  writeFileSync(join(desk.directory, "tls/tls.key"), issue("three.test").key);
  await vi.waitFor(() => {
    const log = readFileSync(join(desk.logs, "gateway.log"), "utf8");
    expect(log).toMatch(/The new certificate was rejected .* is not the key of the certificate/);
  }, SECONDS);
  expect((await greet()).names).toBe("DNS:two.test");
  expect((await desk.run("down")).code).toBe(0);
});

it("certificates are reloaded from a directory that is swapped behind a symbolic link, as Kubernetes does", async () => {
  const swap = (name: string, certificate: Certificate): void => {
    mkdirSync(join(desk.directory, "tls", name));
    put(certificate, `tls/${name}`);
    symlinkSync(name, join(desk.directory, "tls/..data_tmp"));
    renameSync(join(desk.directory, "tls/..data_tmp"), join(desk.directory, "tls/..data"));
  };
  swap("..one", issue("one.test"));
  for (const name of ["tls.crt", "tls.key"])
    symlinkSync(`..data/${name}`, join(desk.directory, "tls", name));
  expect((await desk.run("up", "--detach", "--concurrency", "1")).code).toBe(0);
  expect((await greet()).names).toBe("DNS:one.test");
  swap("..two", issue("two.test"));
  await vi.waitFor(async () => {
    expect((await greet()).names).toBe("DNS:two.test");
  }, SECONDS);
});
