// Providers that cannot be reached: the client gets a sentence to act on, in its own dialect, and soon.
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../../gateway/certificates.ts";
import { startWithFakes } from "../../gateway/with-fakes.ts";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import { startOpenaiProvider } from "../../providers/openai.ts";
import type { FakeProvider } from "../../providers/server.ts";
import { CLOSED_PORT } from "../../providers/scripts/failures-by-model.ts";
import { ask, errorOf } from "../ask.ts";
import type { DialectName } from "../ask.ts";

let all: WithFakes;
let tls: Record<"good" | "wrongName" | "stranger", FakeProvider>;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-tls-"));
  const authority = createAuthority();
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  tls = {
    good: await startOpenaiProvider({ tls: authority.issue("llm.test") }),
    wrongName: await startOpenaiProvider({ tls: authority.issue("elsewhere.test") }),
    stranger: await startOpenaiProvider({ tls: createAuthority("A stranger").issue("llm.test") }),
  };
  const entry = (model: string, baseUrl: string, more = ""): string =>
    `  - {model: ${model}, base_url: "${baseUrl}", provider_interface: ${more === "" ? "openai" : more}}\n`;
  all = await startWithFakes({
    caFile,
    timeoutMs: 3_000,
    config: [
      entry("closed/openai", `http://127.0.0.1:${CLOSED_PORT}/v1`),
      entry("closed/anthropic", `http://127.0.0.1:${CLOSED_PORT}`, "anthropic"),
      entry("nowhere/openai", "http://nowhere.invalid/v1"),
      entry("nowhere/anthropic", "http://nowhere.invalid", "anthropic"),
      entry("tls/good", `https://llm.test:${tls.good.port}/v1`),
      entry("tls/wrong-name", `https://llm.test:${tls.wrongName.port}/v1`),
      entry("tls/stranger", `https://llm.test:${tls.stranger.port}/v1`),
      entry("tls/two-addresses", `https://localhost:${tls.wrongName.port}/v1`),
    ].join(""),
    // In the place of a DNS server.
    adapt(model) {
      for (const { address } of model.targets)
        if (address.kind === "host" && address.host === "llm.test") address.host = "127.0.0.1";
    },
  });
});

afterAll(async () => {
  await all.stop();
  await Promise.all(Object.values(tls).map((one) => one.stop()));
  rmSync(directory, { recursive: true, force: true });
});

const DIALECTS: { dialect: DialectName; family: string }[] = [
  { dialect: "chat", family: "openai" },
  { dialect: "messages", family: "anthropic" },
];

describe.concurrent.each(DIALECTS)("$dialect", ({ dialect, family }) => {
  it.each([true, false])("connection refused, stream %s", async (stream) => {
    const response = await ask(all.gateway, dialect, { model: `closed/${family}`, stream });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { message } = await errorOf(response, dialect);
    expect(message).toMatch(/^Cannot connect to .*: connection refused\./);
    expect(message).toContain(`closed/${family}`);
  });

  it("a name that DNS does not know", async () => {
    const response = await ask(all.gateway, dialect, { model: `nowhere/${family}` });
    expect(response.status).toBe(503);
    expect((await errorOf(response, dialect)).message).toMatch(/resolve|DNS/);
  });

  it("a provider without a response within the listener's timeout returns 504", async () => {
    const response = await ask(all.gateway, dialect, { text: "[hang]" });
    expect(response.status).toBe(504);
    const { message, type } = await errorOf(response, dialect);
    expect(message).toMatch(/timeout/);
    expect(type).toBe("timeout_error");
  });

  it("an answer that begins in time and does not end in time is cut", async () => {
    const response = await ask(all.gateway, dialect, { text: "[stall 1]" });
    await expect(response.text()).rejects.toThrow();
  });

  it("the connection breaks before the answer", async () => {
    const response = await ask(all.gateway, dialect, { text: "[reset]" });
    expect([502, 503]).toContain(response.status);
    expect((await errorOf(response, dialect)).message).toMatch(/closed the connection/);
  });

  it("the request id of an error is the client's, in the header that its SDK reads", async ({
    expect,
  }) => {
    const id = "client-chosen.id_1";
    const header = dialect === "chat" ? "x-request-id" : "request-id";
    const response = await ask(all.gateway, dialect, {
      model: `closed/${family}`,
      headers: { "x-request-id": id },
    });
    expect(response.headers.get(header)).toBe(id);
    const [line] = await all.gateway.waitForLog("ingress", ({ requestId }) => requestId === id);
    expect(line?.code).toBe(503);
    expect(line?.flags).toMatch(/UF/);
  });
});

describe.concurrent("TLS", () => {
  it("a certificate of a known authority for the right name is accepted", async () => {
    const response = await ask(all.gateway, "chat", { model: "tls/good" });
    expect(response.status).toBe(200);
  });

  it.each([
    ["of another name", "tls/wrong-name", "wrongName"],
    ["of an unknown authority", "tls/stranger", "stranger"],
  ] as const)("a certificate %s is rejected", async (_, model, server) => {
    const response = await ask(all.gateway, "chat", { model });
    expect(response.status).toBe(503);
    expect((await errorOf(response, "chat")).message).toMatch(/^Cannot verify the certificate of /);
    expect(tls[server].requests).toHaveLength(0);
  });

  it("the reason is reported although the name has a second, unreachable address", async ({
    expect,
  }) => {
    const response = await ask(all.gateway, "chat", { model: "tls/two-addresses" });
    expect((await errorOf(response, "chat")).message).toMatch(/^Cannot verify the certificate of /);
  });
});
