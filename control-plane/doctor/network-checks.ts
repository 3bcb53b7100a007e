// The checks of names, and with `--online` of connections, certificates, keys and the clock. Each provider's address is asked
// once per key, for its list of models: an authenticated request that costs nothing.
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { CREDENTIAL_KINDS } from "../../contract/credentials.ts";
import {
  ANTHROPIC_MESSAGES,
  GEMINI,
  OPENAI_CHAT,
  OPENAI_RESPONSES,
} from "../../contract/dialects.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";
import type { GatewayModel, Target } from "../../model/model.ts";
import { findCaFile } from "../supervisor/machine-settings.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { openTunnel, TunnelError } from "./tunnel.ts";

const PATIENCE_MS = 5000;
/** Tokens of clouds and signatures of AWS are refused from five minutes on. */
const MAX_DRIFT_S = 60;
const DAY_MS = 24 * 3600 * 1000;
const FEW_DAYS = 14;

type HostTarget = Target & { address: Extract<Target["address"], { kind: "host" }> };

function hostTargets({ targets }: GatewayModel): HostTarget[] {
  return targets.filter((target): target is HostTarget => target.address.kind === "host");
}

/** Resolves the name of each provider once. Envoy does the same when it starts. */
export async function checkNames(model: GatewayModel): Promise<Finding[]> {
  const { ok, problem } = findingsOf("dns");
  // The proxy resolves the names that it is asked for.
  const hosts = new Set(hostTargets(model).map(({ address }) => (address.proxy ?? address).host));
  const names = [...hosts].filter((host) => isIP(host) === 0);
  if (names.length === 0) return [ok("no provider has a name to look up")];
  return Promise.all(
    names.map(async (host) => {
      try {
        const found = await within(lookup(host, { all: true }));
        return ok(
          `${host} is ${found
            .map(({ address }) => address)
            .slice(0, 3)
            .join(", ")}`,
        );
      } catch (error) {
        const { code = "no response" } = error as NodeJS.ErrnoException;
        return problem(
          `${host} cannot be resolved (${code})`,
          "check the name in base_url, /etc/resolv.conf and the network of this machine",
        );
      }
    }),
  );
}

function within<Value>(work: Promise<Value>): Promise<Value> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      setTimeout(() => {
        reject(Object.assign(new Error("timeout"), { code: "timeout" }));
      }, PATIENCE_MS).unref(),
    ),
  ]);
}

/** Returns the certificate authorities that Envoy trusts, and what is wrong with them. */
export function checkAuthorities(
  model: GatewayModel,
  environment: Environment,
): { ca?: string; findings: Finding[] } {
  const { ok, problem } = findingsOf("tls");
  if (!hostTargets(model).some(({ address }) => address.tls))
    return { findings: [ok("no provider uses https")] };
  try {
    const file = findCaFile(environment);
    if (file === undefined) {
      const hint =
        "install them (Debian, Ubuntu: apt-get install ca-certificates), or set SSL_CERT_FILE";
      return { findings: [problem("this machine has no CA certificates", hint)] };
    }
    return {
      ca: readFileSync(file, "utf8"),
      findings: [ok(`certificates are verified with ${file}`)],
    };
  } catch (error) {
    if (error instanceof GatewayError) return { findings: [problem(error.message, error.hint)] };
    return {
      findings: [problem("the file of CA certificates cannot be read", "check SSL_CERT_FILE")],
    };
  }
}

interface ReadResponse {
  status: number;
  /** Seconds by which this machine's clock is ahead of the provider's; absent if it sent no date. */
  drift?: number;
  /** Absent without TLS. */
  certificateEnds?: Date;
  /** How the provider has compressed its response, although the request did not allow it. */
  encoding?: string;
  /** Ids of models, if the response lists them. */
  models?: string[];
}

/** Asks each provider for its models with each key. */
export async function checkProviders(
  model: GatewayModel,
  environment: Environment,
  ca: string | undefined,
  now = Date.now,
): Promise<Finding[]> {
  const asked = new Map<
    string,
    { target: HostTarget; variable: string | undefined; models: string[] }
  >();
  for (const target of hostTargets(model)) {
    const { auth, authority, path } = target;
    for (const variable of [auth.environmentVariable, ...(auth.otherVariables ?? [])]) {
      const key = JSON.stringify([
        target.address,
        authority,
        listPath(target) ?? path,
        auth.kind,
        variable,
      ]);
      const row = asked.get(key) ?? { target, variable, models: [] };
      if (target.wildcard === undefined) row.models.push(target.model);
      asked.set(key, row);
    }
  }
  const found = await Promise.all(
    [...asked.values()].map(async ({ target, variable, models }) => {
      try {
        const response = await ask(
          target,
          variable === undefined ? undefined : environment[variable],
          { ca, environment },
          now,
        );
        return [
          ...responseFindings(target, variable, response),
          ...modelFindings(target, models, response),
        ];
      } catch (error) {
        return [
          error instanceof TunnelError
            ? findingsOf("proxies").problem(error.message, error.hint)
            : connectionFinding(target, error as NodeJS.ErrnoException),
        ];
      }
    }),
  );
  // Several keys at one address have the same certificate and clock.
  const unique = new Map(found.flat().map((one) => [`${one.check} ${one.message}`, one]));
  return [...unique.values()];
}

/** Returns the path of the list of models; undefined if the API has none. */
function listPath({ dialect, path }: Target): string | undefined {
  switch (dialect) {
    case OPENAI_CHAT.name:
    case OPENAI_RESPONSES.name:
    case ANTHROPIC_MESSAGES.name:
      return path.replace(/\/(?:chat\/completions|responses|messages)$/, "/models");
    case GEMINI.name:
      return path.replace(/\/$/, "");
    default:
      return undefined;
  }
}

async function ask(
  target: HostTarget,
  key: string | undefined,
  { ca, environment }: { ca: string | undefined; environment: Environment },
  now: () => number,
): Promise<ReadResponse> {
  const { address, authority, auth } = target;
  const credential = CREDENTIAL_KINDS.find(({ name }) => name === auth.kind);
  const isAnthropic = target.dialect === ANTHROPIC_MESSAGES.name;
  const headers: Record<string, string> = {
    host: authority,
    "user-agent": "gateway-doctor",
    "accept-encoding": "identity",
    ...(isAnthropic ? { "anthropic-version": "2023-06-01" } : {}),
    ...(credential === undefined || credential.header === "" || key === undefined
      ? {}
      : { [credential.header]: credential.prefix + key }),
  };
  const options = {
    host: address.host,
    port: address.port,
    path: (listPath(target) ?? "/") + (target.query ?? ""),
    method: "GET",
    headers,
    agent: false as const,
    signal: AbortSignal.timeout(PATIENCE_MS),
  };
  const trusted = ca === undefined ? {} : { ca };
  const servername = isIP(address.serverName) === 0 ? address.serverName : "";
  const socket =
    address.proxy === undefined
      ? undefined
      : await openTunnel(address.proxy, address, environment, {
          ...trusted,
          patienceMs: PATIENCE_MS,
        });
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      readResponse(response, now).then(resolve, reject);
    };
    const request = address.tls
      ? requestTls(
          {
            ...options,
            servername,
            ...trusted,
            ...(socket === undefined
              ? {}
              : { createConnection: () => connectTls({ socket, servername, ...trusted }) }),
          },
          onResponse,
        )
      : requestPlain(
          { ...options, ...(socket === undefined ? {} : { createConnection: () => socket }) },
          onResponse,
        );
    request.once("error", reject);
    request.end();
  });
}

/** A list of models is smaller. Bytes. */
const MAX_LIST = 4 * 1024 * 1024;

async function readResponse(response: IncomingMessage, now: () => number): Promise<ReadResponse> {
  const { statusCode: status = 0, headers, socket } = response;
  const date = Date.parse(headers.date ?? "");
  const certificate =
    "getPeerCertificate" in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
  const ends = Date.parse(certificate?.valid_to ?? "");
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_LIST) break;
    pieces.push(piece);
  }
  const models = status === 200 ? idsIn(Buffer.concat(pieces).toString()) : undefined;
  const { "content-encoding": encoding = "identity" } = headers;
  return {
    status,
    ...(encoding === "identity" ? {} : { encoding }),
    ...(Number.isNaN(date) ? {} : { drift: Math.round((now() - date) / 1000) }),
    ...(Number.isNaN(ends) ? {} : { certificateEnds: new Date(ends) }),
    ...(models === undefined ? {} : { models }),
  };
}

function idsIn(text: string): string[] | undefined {
  try {
    const {
      data,
      models,
      has_more: hasMore,
      nextPageToken,
    } = JSON.parse(text) as {
      data?: { id?: string }[];
      models?: { name?: string }[];
      has_more?: boolean;
      nextPageToken?: string;
    };
    // A page of a longer list does not show what is missing.
    if (hasMore === true || nextPageToken !== undefined) return undefined;
    const ids =
      data?.map(({ id }) => id) ?? models?.map(({ name }) => name?.replace(/^models\//, ""));
    return ids?.filter((id) => id !== undefined);
  } catch {
    return undefined;
  }
}

function responseFindings(
  target: HostTarget,
  variable: string | undefined,
  { status, drift, certificateEnds, encoding }: ReadResponse,
): Finding[] {
  const { ok, warning, problem } = findingsOf("providers");
  const { provider, authority } = target;
  const key = variable === undefined ? "without a key" : `$${variable}`;
  const where = `${provider} (${authority})`;
  const found: Finding[] = [];
  if (listPath(target) === undefined || status === 404 || status === 405)
    found.push(
      ok(`${where} responds (${String(status)}); it has no list of models to try ${key} with`),
    );
  else if (status === 401 || status === 403)
    found.push(
      problem(
        `${where} rejects ${variable === undefined ? "requests without a key" : key} (${String(status)})`,
        variable === undefined
          ? "set access_key"
          : `check that ${variable} holds a valid key of this provider with access to its models`,
      ),
    );
  else if (status === 429)
    found.push(
      warning(
        `${where} accepts ${key}, and its rate limit or credit is used up (429)`,
        "check the plan and the limits of the account",
      ),
    );
  else if (status >= 500)
    found.push(
      warning(
        `${where} responds with ${String(status)}`,
        "try again later; see the provider's status page",
      ),
    );
  else if (status >= 300)
    found.push(
      warning(`${where} responds to its list of models with ${String(status)}`, "check base_url"),
    );
  else found.push(ok(`${where} accepts ${key}`));
  if (encoding !== undefined && target.decompresses !== true)
    found.push(
      problem(
        `${where} compresses its responses (content-encoding: ${encoding}), although the request did not allow it`,
        "set decompress_responses: true in its entry of llm_providers",
      ),
    );
  return [
    ...found,
    ...certificateFindings(authority, certificateEnds),
    ...clockFindings(authority, drift),
  ];
}

function certificateFindings(authority: string, ends: Date | undefined): Finding[] {
  const { ok, warning } = findingsOf("tls");
  if (ends === undefined) return [];
  const day = ends.toISOString().slice(0, 10);
  const text = `the certificate of ${authority} is valid until ${day}`;
  if (ends.getTime() - Date.now() > FEW_DAYS * DAY_MS) return [ok(text)];
  return [warning(text, "it has to be renewed by whoever runs that address")];
}

function clockFindings(authority: string, drift: number | undefined): Finding[] {
  const { ok, problem } = findingsOf("clock");
  if (drift === undefined) return [];
  const seconds = Math.abs(drift);
  if (seconds <= MAX_DRIFT_S) return [ok(`the clock agrees with ${authority}`)];
  const side = drift > 0 ? "ahead of" : "behind";
  return [
    problem(
      `the clock of this machine is ${String(seconds)} s ${side} ${authority}`,
      "synchronise it (timedatectl set-ntp true): certificates, signatures and tokens depend on it",
    ),
  ];
}

function modelFindings(
  { provider }: HostTarget,
  models: readonly string[],
  response: ReadResponse,
): Finding[] {
  const { warning } = findingsOf("providers");
  const listed = response.models;
  if (listed === undefined || listed.length === 0) return [];
  return [...new Set(models)]
    .filter((model) => !listed.includes(model))
    .map((model) =>
      warning(
        `${provider} does not list the model ${model}`,
        "check its name, or whether the key has access to it",
      ),
    );
}

const CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

function connectionFinding(
  { provider, authority, address }: HostTarget,
  error: NodeJS.ErrnoException,
): Finding {
  const code = error.code ?? error.name;
  const where = `${provider} (${authority})`;
  if (CERTIFICATE_CODES.test(code)) {
    return findingsOf("tls").problem(
      `the certificate of ${where} cannot be verified (${code})`,
      "set SSL_CERT_FILE to a PEM file with the authorities to trust; a proxy that reads TLS has its own",
    );
  }
  if (code === "EPROTO") {
    return findingsOf("tls").problem(
      `${where} does not use TLS at this port`,
      "write http:// in base_url",
    );
  }
  const isTimeout = code === "ABORT_ERR" || code === "TimeoutError" || code === "ETIMEDOUT";
  return findingsOf("providers").problem(
    isTimeout
      ? `${where} does not respond within ${String(PATIENCE_MS / 1000)} s`
      : `cannot connect to ${where} (${code})`,
    `check the network, and that a server listens at ${address.host}:${String(address.port)}`,
  );
}
