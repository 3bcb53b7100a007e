// What becomes of a client's request: who gets it in which order, and the exact requests, by the release filter.
import { PROPERTY_USAGE } from "../../contract/usage-record.ts";
import { credentialText } from "../ir/cloud-credentials.ts";
import type { GatewayModel, Listener, Target } from "../ir/model.ts";
import type { UsageRecord } from "../observability/usage-line.ts";
import type { ExchangeResult } from "../wasm-host/exchange.ts";
import type { SentRequest } from "../wasm-host/upstream.ts";
import type { ClientRequest } from "./client-request.ts";
import { droppedMembers } from "./dropped.ts";
import type { DroppedMember } from "./dropped.ts";
import { DryRun } from "./dry-run.ts";
import type { DryRunOptions } from "./dry-run.ts";
import { maskHeaders } from "./mask.ts";

/** The gateway's own response. */
export interface OwnResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

export interface Explanation {
  listener: Listener["name"];
  /** The path of the endpoint; absent for an unknown one. */
  endpoint?: string;
  /** The client's dialect. */
  dialect?: string;
  /** The name that the client sent as the model. */
  model?: string;
  /** The name of the client's API key. */
  key?: string;
  isStream: boolean;
  /** The response to the request as it is, if its API key is missing or unknown; the rest is about a valid one. */
  unauthorized?: OwnResponse;
  /** In the order in which they are made, each if the one before failed. */
  attempts: ExplainedAttempt[];
  /** If no provider gets the request. */
  response?: OwnResponse;
}

export interface ExplainedAttempt {
  /** `<provider>/<model>` as configured. */
  target: string;
  /** The provider's dialect. */
  dialect: string;
  method: string;
  url: string;
  /** Credentials are `$NAME` of their environment variable; a client's own is `***`. */
  headers: [name: string, value: string][];
  /** What Envoy adds to this request. */
  addedByEnvoy?: string;
  /** Text, or base64 if it is not UTF-8. */
  body: string;
  encoding: "utf8" | "base64";
  /** Whether the body is the client's, byte for byte. */
  isBodyUnchanged: boolean;
  dropped: DroppedMember[];
}

/** More attempts than a configuration has in practice. */
const MAX_ATTEMPTS = 50;

/** Explains requests under one configuration. */
export class Explainer {
  readonly #model: GatewayModel;
  readonly #run: DryRun;
  /** For requests whose API key is missing or unknown. */
  readonly #openRun: DryRun | undefined;

  private constructor(model: GatewayModel, run: DryRun, openRun: DryRun | undefined) {
    this.#model = model;
    this.#run = run;
    this.#openRun = openRun;
  }

  static async open(options: DryRunOptions): Promise<Explainer> {
    const { model } = options;
    const { apiKeys: ingressKeys, ...ingress } = model.ingress;
    const { apiKeys: egressKeys, ...egress } = model.egress;
    const hasKeys = (ingressKeys ?? egressKeys) !== undefined;
    return new Explainer(
      model,
      await DryRun.open(options),
      hasKeys ? await DryRun.open({ ...options, model: { ...model, ingress, egress } }) : undefined,
    );
  }

  explain(request: ClientRequest): Explanation {
    const listener = this.#listenerOf(request);
    const first = this.#run.run(request, listener, MAX_ATTEMPTS);
    if (first.response.status !== 401 || first.sent.length > 0 || this.#openRun === undefined) {
      return this.#explain(request, listener, this.#run, first);
    }
    const open = this.#openRun.run(request, listener, MAX_ATTEMPTS);
    const explanation = this.#explain(request, listener, this.#openRun, open);
    return { ...explanation, unauthorized: ownResponse(first) };
  }

  #explain(
    request: ClientRequest,
    listener: Listener["name"],
    run: DryRun,
    whole: ExchangeResult,
  ): Explanation {
    const { endpoint, dialect, requested, key, stream } = recordOf(whole);
    // What the last attempt dropped is in the record; each attempt is the last one of a run.
    const attempts = whole.sent.map((sent, index) => {
      const isLast = index === whole.sent.length - 1;
      const result = isLast ? whole : run.run(request, listener, index + 1);
      return this.#attempt(request, result.sent[index] ?? sent, recordOf(result));
    });
    return {
      listener,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(dialect === undefined ? {} : { dialect }),
      ...(requested === undefined ? {} : { model: requested }),
      ...(key === undefined ? {} : { key }),
      isStream: stream === 1,
      attempts,
      ...(attempts.length > 0 ? {} : { response: ownResponse(whole) }),
    };
  }

  /** The listener whose port the request names; egress for any other. */
  #listenerOf({ headers }: ClientRequest): Listener["name"] {
    const host = headers.find(([name]) => name === "host")?.[1] ?? "";
    return host.endsWith(`:${String(this.#model.ingress.port)}`) ? "ingress" : "egress";
  }

  #attempt(request: ClientRequest, sent: SentRequest, record: UsageRecord): ExplainedAttempt {
    const target = this.#model.targets.find(({ name }) => name === record.target);
    if (target === undefined) throw new Error("the filter's record names no target");
    const body = Buffer.from(sent.body);
    const isText = body.equals(Buffer.from(body.toString("utf8")));
    const added = addedByEnvoy(target);
    return {
      target: target.name,
      dialect: target.dialect,
      method: sent.method,
      url: `${schemeOf(target)}://${sent.authority}${sent.path}`,
      headers: maskHeaders(sent.headers, this.#model.filterEnvironment),
      ...(added === undefined ? {} : { addedByEnvoy: added }),
      body: body.toString(isText ? "utf8" : "base64"),
      encoding: isText ? "utf8" : "base64",
      isBodyUnchanged: body.equals(request.body),
      dropped: droppedMembers(record.dropped, record.dialect, target.dialect),
    };
  }
}

function schemeOf({ address }: Target): string {
  return address.kind !== "embedded" && address.tls ? "https" : "http";
}

function recordOf({ filterState }: ExchangeResult): UsageRecord {
  // The filter wrote it.
  return JSON.parse(filterState.get(PROPERTY_USAGE) ?? "{}") as UsageRecord;
}

function ownResponse({ response: { status, headers, body } }: ExchangeResult): OwnResponse {
  return {
    status,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body: Buffer.from(body).toString("utf8"),
  };
}

/** Describes the credential that Envoy attaches behind the filter. */
function addedByEnvoy({ auth }: Target): string | undefined {
  const credential = credentialText(auth);
  return credential === undefined ? undefined : `authorization: ${credential}`;
}
