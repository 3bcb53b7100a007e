// Every fault of a provider, for complete answers and streams, in each dialect: docs/faults.yaml says what comes of it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRetry } from "../../../control-plane/config/sections/retry.ts";
import type { Address } from "../../../model/model.ts";
import { faultTable, KINDS, outcomeIn } from "../../../scripts/faults.ts";
import type { FaultRow, Kind } from "../../../scripts/faults.ts";
import { createAuthority } from "../../gateway/certificates.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { LogLine } from "../../gateway/log-line.ts";
import { ask } from "../ask.ts";
import type { DialectName, ProviderDialect } from "../ask.ts";
import { listen } from "../../providers/listen.ts";
import { echo } from "../../providers/scripted-provider.ts";
import type { Listening } from "../../providers/listen.ts";
import {
  basePath,
  FAULTS_OF_A_SERVER,
  startFaultyProvider,
} from "../../providers/scripts/faults.ts";
import { ANTHROPIC, CONVERSE, GEMINI, host, targetAt } from "../models.ts";
import { startTwoDialects } from "../../gateway/two-dialects.ts";
import { outcomeOf } from "./outcomes.ts";

/**
 * Of the listener, the only setting that is not the default: the third that a silent provider leaves to its fallback is
 * more than a loaded machine needs for a healthy answer.
 */
const TIMEOUT_MS = 8_000;
const DIALECTS: DialectName[] = ["chat", "messages", "responses"];
const PROVIDERS: ProviderDialect[] = [...DIALECTS, "gemini", "converse"];

let directory: string;
let gateway: Gateway;
const servers: Listening[] = [];

beforeAll(async () => {
  const authority = createAuthority();
  directory = mkdtempSync(join(tmpdir(), "gateway-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const tlsAt = async (certificate: { cert: string; key: string }): Promise<Address> => {
    const server = await listen(createTlsServer(certificate, echo));
    servers.push(server);
    return host("127.0.0.1", server.port, { tls: true, serverName: "llm.test" });
  };
  const places: Record<string, Address> = {
    ...Object.fromEntries(await Promise.all(FAULTS_OF_A_SERVER.map(providerWith))),
    refused: host("127.0.0.1", 1),
    "no such name": host("no-such-host.invalid", 80),
    "certificate of another name": await tlsAt(authority.issue("other.test")),
    "expired certificate": await tlsAt(authority.issueExpired("llm.test")),
  };
  gateway = await startTwoDialects(1, {
    caFile,
    adapt(model) {
      model.targets = Object.entries(places).flatMap(([fault, address]) => [
        targetAt(`chat/${fault}`, address, { path: `${basePath(fault)}/chat/completions` }),
        targetAt(`messages/${fault}`, address, {
          ...ANTHROPIC,
          path: `${basePath(fault)}/messages`,
        }),
        targetAt(`responses/${fault}`, address, {
          dialect: "openai_responses",
          asksForUsage: false,
          path: `${basePath(fault)}/responses`,
        }),
        targetAt(`gemini/${fault}`, address, {
          ...GEMINI,
          path: `${basePath(fault)}/v1beta/models/`,
        }),
        targetAt(`converse/${fault}`, address, { ...CONVERSE, path: `${basePath(fault)}/model/` }),
      ]);
      for (const target of model.targets)
        if (!target.name.endsWith("/compressed")) target.decompresses = true;
      model.targetSets = model.targets.map(({ name, dialect }, index) => ({
        name: `safe/${name}`,
        targets: [
          index,
          model.targets.findIndex(
            (one) => one.name.endsWith("/healthy") && one.dialect !== dialect,
          ),
        ],
        retry: readRetry(),
      }));
      for (const listener of [model.ingress, model.egress]) listener.timeoutMs = TIMEOUT_MS;
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

/** A provider of its own for each fault: failures in a row have an address left out, which is no other fault's business. */
async function providerWith(fault: string): Promise<[string, Address]> {
  const provider = await startFaultyProvider();
  servers.push(provider);
  return [fault, host("127.0.0.1", provider.port)];
}

/** What the test gives every response to end; far more than any of them needs. */
const PATIENCE_MS = 90_000;

interface Case {
  row: FaultRow;
  kind: Kind;
  client: DialectName;
  at: ProviderDialect;
  /** Whether a healthy provider of the other format is there to fall back on. */
  hasFallback: boolean;
}

it("every fault that the provider supports is in the table", () => {
  expect(faultTable().map(({ fault }) => fault)).toEqual(
    expect.arrayContaining(FAULTS_OF_A_SERVER) as string[],
  );
});

describe.concurrent.each(faultTable())("$fault", (row) => {
  const cases = KINDS.flatMap((kind) =>
    DIALECTS.flatMap((client) =>
      PROVIDERS.flatMap((at) =>
        [false, true].map((hasFallback): Case => ({ row, kind, client, at, hasFallback })),
      ),
    ),
  );

  it.each(cases)("$kind, $client client, provider of $at, fallback $hasFallback", async (one) => {
    const { kind, client, at, hasFallback } = one;
    const isStream = kind === "stream";
    const id = [row.fault, kind, client, at, hasFallback].join("-").replaceAll(/[^a-z0-9-]/gi, "_");
    const response = await ask(gateway, client, {
      model: `${hasFallback ? "safe/" : ""}${at}/${row.fault}`,
      stream: isStream,
      headers: { "x-request-id": id },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const seen = await outcomeOf(response, client, isStream);
    const { how, status, message } = outcomeIn(
      row,
      kind,
      client === at ? "same" : "other",
      hasFallback,
    );
    expect(seen).toMatchObject({ how, status });
    if (message !== undefined) expect(seen.message).toMatch(message);
    if (hasFallback) await expectAttempts(id);
    else await expectLog(id, row.log, status);
  });
});

async function expectLog(id: string, log: string | undefined, status: number): Promise<void> {
  const isThis = ({ requestId }: LogLine): boolean => requestId === id;
  const [line] = await gateway.waitForLog("ingress", isThis);
  expect(line?.code).toBe(status);
  if (log === undefined) {
    expect(gateway.log("llm").filter(isThis)).toEqual([]);
    return;
  }
  // Where there was no connection, Envoy tries once more.
  const attempts = await gateway.waitForLog("llm", isThis);
  const said = new Set(attempts.map(({ code, flags }) => `${code} ${flags}`));
  expect([...said]).toEqual([log]);
}

/** How many attempts there were is not always certain: a slow provider may be in time. */
async function expectAttempts(id: string): Promise<void> {
  const isThis = ({ requestId }: LogLine): boolean => requestId === id;
  expect(await gateway.waitForLog("ingress", isThis)).toHaveLength(1);
  expect([1, 2]).toContain((await gateway.waitForLog("llm", isThis)).length);
}
