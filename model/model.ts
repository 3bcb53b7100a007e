// The gateway's configuration after loading: every default filled in, every reference resolved. Plain data, no I/O.
import type { Address, DefaultProxy, ProviderHeader, Proxy } from "./address.ts";
import type { Budget } from "./budgets.ts";
import type { ClientKey } from "./client-keys.ts";
import type { CloudCredential } from "./cloud-credentials.ts";
import type { GuardPolicy } from "./guard-policies.ts";
import type { Group, RuntimeKeys } from "./keys.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { Prompt } from "./prompts.ts";
import type { RateLimit, RateUnit } from "./rate-limit.ts";
import type { TokenIssuer } from "./json-web-tokens.ts";
import type { Login } from "./login.ts";
import type { Tracing } from "./tracing.ts";

export type { Address, ProviderHeader, Proxy, RateLimit, RateUnit };

export interface GatewayModel {
  /** The configuration's own schema version, for example `v0.1.0`. */
  version: string;
  ingress: Listener;
  egress: Listener;
  /** One per entry of `llm_providers`, in the file's order. */
  targets: Target[];
  /** Index into `targets` for `model: none`: the one marked default, else the first. */
  defaultTarget: number;
  aliases: Alias[];
  /** Requests that may have several attempts: at other targets, with another key, or once more. */
  targetSets?: TargetSet[];
  /** Maximum number of retries in flight per provider; absent: no limit. */
  retryBudget?: number;
  limits: Limits;
  /** How long an idle connection of a client is kept; absent: the default of the rendering. */
  clientIdleTimeoutMs?: number;
  /** Absent when the configuration has none. */
  rateLimits?: RateLimit[];
  /** Who counts them; absent: each gateway for itself. */
  rateLimitService?: RateLimitService;
  /** Whatever would be left out of a request is refused instead. */
  strictTranslation?: true;
  /** Absent: the defaults of the rendering. */
  upstream?: UpstreamSettings;
  /** Of providers that do not set one, and of the gateway's own requests; absent: none. */
  proxy?: DefaultProxy;
  accessLog: AccessLog;
  /** Of the gateway's own log; absent: text. */
  log?: { format: "json" };
  /** Where control actions are recorded, if not in the state directory. */
  audit?: AuditSettings;
  /** Absent: no usage records, and no metrics. */
  observability?: Observability;
  /** Absent: no spans. */
  tracing?: Tracing;
  /** `sessions`, as far as it differs from the default: one more header that names them; whether they keep to a target and a key, and whether usage records have hashes of their prompts. */
  sessions?: { header?: string; affinity?: "off"; observe?: "off" };
  /** Prices of the configuration, by the name of the target. */
  pricing?: Record<string, OwnPrice>;
  /** `model_facts`: where the facts of models come from in place of the public catalogues. */
  modelFacts?: { file: string } | { url: string };
  /** Absent when the configuration has none. */
  budgets?: Budget[];
  /** Where events about budgets are sent; absent: nowhere. */
  alerts?: Alerts;
  /** Where several gateways share what was spent; absent: each gateway has separate budgets. */
  redis?: Redis;
  /** Keys that are created while the gateway runs; absent: there are none. */
  keys?: RuntimeKeys;
  /** Groups of the configuration; absent when it has none. */
  groups?: Group[];
  /** Users of the configuration: what all requests of one may use; absent when it has none. */
  users?: Group[];
  /** People log in from their terminal; absent: nobody can. */
  login?: Login;
  /** Prompt targets and the guard; absent when the configuration has neither. */
  prompt?: Prompt;
  /** Policies that look into requests and responses, in their order; absent when there are none. */
  guards?: GuardPolicy[];
  /** Names of the environment variables that the filter needs: keys and secret header values. Sorted, unique. */
  filterEnvironment: string[];
  /** Differs whenever the values do that some of these have in files, and reveals nothing of them; absent if none has. */
  valuesVersion?: string;
}

/** Connections to providers. What is absent has the rendering's default. */
export interface UpstreamSettings {
  connectTimeoutMs?: number;
  /** Until a connection without a request is closed. */
  idleTimeoutMs?: number;
  /** The limits are of each place, over all of its models. */
  maxConnections?: number;
  maxPendingRequests?: number;
  /** Failures in a row that eject a place; 0: never. */
  consecutiveFailures?: number;
  ejectionTimeMs?: number;
}

export interface Listener {
  name: "ingress" | "egress";
  /** Where the file configures it, for messages: `listeners.my_ingress`. Absent: `listeners.<name>`, or nowhere. */
  place?: string;
  address: string;
  port: number;
  /** Total time of a complete response; for a stream, time to the first byte and between bytes. Milliseconds. */
  timeoutMs: number;
  /** A client has to send one of these keys; absent if clients need none. */
  apiKeys?: ClientKey[];
  /** A client has to send a key of `apiKeys` or one that was created while the gateway runs. Absent: there are none of those. */
  acceptsRuntimeKeys?: true;
  /** A client may send a token of one of these issuers in place of a key. Absent: no tokens. */
  tokens?: TokenIssuer[];
  /** Absent: clients connect in plain text. */
  tls?: ListenerTls;
}

/** Returns where the configuration has the listener, for messages: `listeners.egress`. */
export function placeOf({ name, place }: Pick<Listener, "name" | "place">): string {
  return place ?? `listeners.${name}`;
}

/** Paths of PEM files, absolute. */
export interface ListenerTls {
  /** The certificate of the server, and after it those between it and its authority. */
  certificate: string;
  key: string;
}

/** One model of one provider, ready to be called. */
export interface Target {
  /** `<provider>/<model>` as configured: unique. */
  name: string;
  /** `llm_providers[].name`: a further name for clients. */
  configuredName?: string;
  /** What stands before the first slash. */
  provider: string;
  /** The built-in provider, if `provider` is another spelling of its name: `qwen` for `dashscope`. */
  builtIn?: string;
  /** The bare name that the provider is sent. */
  model: string;
  /** The name of its row in contract/dialects.ts. */
  dialect: string;
  address: Address;
  /** Value of `:authority` for the provider, with the port only where it is not the scheme's own. */
  authority: string;
  /** Whole request path, for example `/v1/chat/completions`: the base URL's path and the dialect's own. */
  path: string;
  /** The query of every request, with its `?`. Absent when there is none. */
  query?: string;
  /** The name of its row in contract/envelopes.ts: then `path` ends before the model. Absent when there is none. */
  envelope?: string;
  /** Further dialects of the provider, with their request paths. Absent when there is none. */
  also?: { dialect: string; path: string; query?: string }[];
  auth: {
    /** The name of its row in contract/credentials.ts. */
    kind: string;
    /** environment variable that holds the key */ environmentVariable?: string;
    /** the key is the client's own; then there is no variable */ passesClientKey?: true;
    /** those of further keys, which take turns with it */ otherVariables?: string[];
  } & /** What Envoy attaches; then `kind` is `none`. */ CloudCredential;
  headers: ProviderHeader[];
  /** The global and the provider's own system prompt joined by a blank line; absent when neither is set. */
  systemPrompt?: string;
  /** The same without the top-level one; present only where there is one. A prompt target's own replaces that. */
  ownSystemPrompt?: string;
  /** Whether Envoy decompresses its responses. */
  decompresses?: true;
  /** `client`: cache marks and keys are the client's alone. Absent: the gateway adds them to translated conversations. */
  promptCaching?: "client";
  /** Members of each request to Converse, as JSON with a comma before each: the configured guardrail and latency. */
  policies?: string;
  /** In their place in a stream; absent if they are the same. */
  streamPolicies?: string;
  /** Whether a stream may be asked for usage (`stream_options.include_usage`). */
  asksForUsage: boolean;
  /** What the model does not take; only columns that change something. Absent when nothing is known. */
  limits?: ModelLimits;
  /** Present for an entry for all models whose names begin alike, `openai/*`: the client names the model. */
  wildcard?: Wildcard;
}

/** Returns the name by which the tables of providers know the provider of a target. */
export function knownProvider({ builtIn, provider }: Pick<Target, "builtIn" | "provider">): string {
  return builtIn ?? provider;
}

/** Returns whether Envoy decompresses the responses of a provider. @param targets of the model, or of the filter's document */
export function hasDecompression({
  targets,
}: {
  targets: readonly Pick<Target, "decompresses">[];
}): boolean {
  return targets.some(({ decompresses }) => decompresses === true);
}

export interface Wildcard {
  /** How names without the provider begin that it takes too. */
  bare: string[];
  /** Models with other limits than the entry: patterns of their bare names, the first that matches counts. */
  families: { models: string[]; limits?: ModelLimits }[];
}

export interface Alias {
  name: string;
  /** Index into `targets`. */
  target: number;
}

/** What a name stands for when one attempt need not be the last. */
export type TargetSet = {
  /** Indices into `targets`: the first is tried first, the next when it fails. One at least, each once. */
  targets: number[];
  /** Shares of the first so many of `targets`: one of them is tried first. Absent: always the first. */
  weights?: number[];
  /** Whether the requests of a session keep to one of them; absent: as `sessions` sets. */
  affinity?: "on" | "off";
  /** What decides which of them is tried first; absent: the weights. */
  balance?: "latency" | "load" | "cost";
  retry: Retry;
} & (
  | { /** An alias: what a client says in `model`. */ name: string }
  | {
      /** The target whose own names all mean this set: its index, the first of `targets`. */ of: number;
    }
);

/** When there is another attempt, and how long one may take. */
export interface Retry {
  /** How often one target is asked before the next one is. */
  attempts: number;
  /** Statuses of a reply after which there is another attempt. */
  statuses: number[];
  /** Whether the next model is tried when the request is too long for the model of the attempt. */
  afterContextLength?: true;
  /** Whether there is one when there was no connection, or one that closed before the request was sent. */
  afterRefusal: boolean;
  /** Whether there is one when a provider breaks off, or is too slow, before its response has begun. */
  afterReset: boolean;
  /** Longest time until an attempt's response begins. Milliseconds; absent: the listener's timeout alone. */
  perTryTimeoutMs?: number;
  /** The same for the first token of a stream. */
  firstByteTimeoutMs?: number;
}

/** Envoy's rate limit service, over gRPC. */
export interface RateLimitService {
  address: { host: string; port: number };
  /** Whether a request passes uncounted when the service does not respond. */
  onFailure: "allow" | "deny";
  timeoutMs: number;
}

export interface Limits {
  /** Largest request body in bytes; above it the client gets 413. */
  requestBodyBytes: number;
  /** Largest request head in KiB. */
  requestHeadersKib: number;
  /** What Envoy may use of the memory, in bytes; absent: half of the machine's. */
  memoryBytes?: number;
  /** Connections of clients; absent: `MAX_CONNECTIONS` of envoy/overload.ts. */
  connections?: number;
  /** In-flight requests at one provider's address; absent: Envoy's own high number. */
  concurrentRequests?: number;
}

interface AccessLog {
  /** Absolute; undefined means the configuration's own directory in `~/gateway_logs`. */
  directory?: string;
  /** A log file is rotated when it is larger. Bytes. */
  maxFileBytes: number;
  /** How many rotated files are kept. */
  keepFiles: number;
  /** A line is one JSON object; absent: the 15 fields as text. */
  format?: "json";
}

/** A webhook that gets events about budgets. */
export interface Alerts {
  /** Environment variable with the URL, or the URL itself if it holds no credential. */
  url: { variable: string } | { text: string };
  /** Environment variable with the secret that signs events. Absent: they are not signed. */
  secretVariable?: string;
}

/** A Redis server that gateways share. */
export interface Redis {
  /** Environment variable with the URL, or the URL itself if it holds no credential. */
  url: { variable: string } | { text: string };
  /** Begins all keys. Gateways with the same prefix share. */
  prefix: string;
  /** Whether budgets are enforced by what each gateway knows while Redis does not respond, or reject once that is used up. */
  onFailure: "allow" | "deny";
}

/** A price of the configuration: US dollars per million tokens. */
export interface OwnPrice {
  /** Absent, like `output`: the listed price. */
  input?: number;
  output?: number;
  /** Absent: the price of input. */
  cacheRead?: number;
  cacheWrite?: number;
  /** For a cache that is kept for an hour. Absent: the price of `cacheWrite`. */
  cacheWriteHour?: number;
  /** Of a thousand web searches. */
  webSearch?: number;
  /** Multiplies every rate. Default 1. */
  factor?: number;
}

/** What is recorded of requests, and where it is served. */
interface AuditSettings {
  /** Absolute. */
  directory?: string;
  /** Whether each line goes to standard output, too. */
  isCopied?: true;
}

export interface Observability {
  metrics: {
    /** IP address. */
    address: string;
    port: number;
    /** Environment variable with the token that requests must send. */
    tokenVariable?: string;
    /** Absent: nobody signs in. */
    signIn?: SignIn;
  };
  /** Absent: metrics are not exported. */
  otlp?: MetricsExport;
  /** Absent: no bodies are kept. */
  content?: ContentRules;
  /** Absent: the default. */
  retention?: Retention;
  /** Complete responses have the header `x-gateway-cost`. */
  costHeader?: true;
}

/** How much the page's history has. */
export interface Retention {
  /** Newest requests, and for how long. */
  maxRequests: number;
  requestsMs: number;
  /** Sums by hour and by day, and sessions. */
  sumsMs: number;
  /** Sessions that were used last. */
  maxSessions: number;
}

/** How people sign in by OpenID Connect. */
export interface SignIn {
  issuer: string;
  clientId: string;
  /** Environment variable with the client's secret. */
  secretVariable: string;
  /** Environment variable with what signs sessions: one or several texts with a comma between them. */
  sessionVariable: string;
  /** Of the page as browsers use it, without a slash at its end. */
  url: string;
  scopes: string[];
  /** Names of claims, or paths with dots. */
  claims: { name: string; groups: string };
  /** Groups, by role; `*` is everybody. */
  roles: Partial<Record<"viewer" | "operator" | "admin", string[] | undefined>>;
  /** Groups that have keys for themselves only. */
  selfService: string[];
  /** Keys that a person without the role `operator` may have. */
  maxKeys: number;
  /** Whether an address without the claim `email_verified` is refused. */
  needsVerifiedEmail: boolean;
  sessionMs: number;
}

/** Where metrics are sent by OTLP over HTTP. */
export interface MetricsExport {
  /** With the path. */
  url: string;
  headers: ProviderHeader[];
  intervalMs: number;
}

/** What is kept of requests and responses. */
export interface ContentRules {
  /** Of a request body, and of a response body. */
  maxBytes: number;
  /** Names in lower case, besides those of credentials. */
  redactHeaders: string[];
}
