// Gateway models written by hand, for tests of the rendering: each shows one thing that a configuration can ask for.
import type { Address, GatewayModel, Listener, Retry, Target } from "../../model/model.ts";
import { tokenOf } from "../../model/cloud-credentials.ts";
import type { Prompt, PromptEndpoint } from "../../model/prompts.ts";

const MEBIBYTE = 1_048_576;

export const LOOPBACK = "127.0.0.1";

export function listenerAt(name: Listener["name"], port: number, timeoutMs = 30_000): Listener {
  return { name, address: LOOPBACK, port, timeoutMs };
}

export function host(
  name: string,
  port = 443,
  more: { tls?: boolean; serverName?: string } = {},
): Address {
  return {
    kind: "host",
    host: name,
    port,
    tls: more.tls ?? port === 443,
    serverName: more.serverName ?? name,
  };
}

/** A target in OpenAI's format with a bearer key, unless told otherwise. */
export function targetAt(name: string, address: Address, more: Partial<Target> = {}): Target {
  const slash = name.indexOf("/");
  const place = address.kind === "embedded" ? "demonstration" : address.host;
  return {
    name,
    provider: name.slice(0, slash),
    model: name.slice(slash + 1),
    dialect: "openai_chat",
    address,
    authority: place,
    path: "/v1/chat/completions",
    auth: { kind: "bearer", environmentVariable: "OPENAI_API_KEY" },
    headers: [],
    asksForUsage: true,
    ...more,
  };
}

export const ANTHROPIC: Partial<Target> = {
  dialect: "anthropic_messages",
  path: "/v1/messages",
  auth: { kind: "x_api_key", environmentVariable: "ANTHROPIC_API_KEY" },
  asksForUsage: false,
};

export const GEMINI: Partial<Target> = {
  dialect: "gemini",
  path: "/v1beta/models/",
  auth: { kind: "x_goog_api_key", environmentVariable: "ANTHROPIC_API_KEY" },
  asksForUsage: false,
};

export const CONVERSE: Partial<Target> = {
  dialect: "bedrock_converse",
  path: "/model/",
  auth: { kind: "bearer", environmentVariable: "ANTHROPIC_API_KEY" },
  asksForUsage: false,
};

export function modelOf(targets: Target[], more: Partial<GatewayModel> = {}): GatewayModel {
  const keys = targets.flatMap(({ auth }) => auth.environmentVariable ?? []);
  const parts = [...targets, ...(more.prompt?.targets ?? [])].flatMap(({ headers }) =>
    headers.flatMap((header) => header.parts),
  );
  const inHeaders = parts.flatMap((part) => ("environment" in part ? part.environment : []));
  const ofClients = [more.ingress, more.egress].flatMap((listener) =>
    (listener?.apiKeys ?? []).map(({ variable }) => variable),
  );
  const variables = [...keys, ...inHeaders, ...ofClients];
  return {
    version: "v0.1.0",
    ingress: listenerAt("ingress", 10_000),
    egress: listenerAt("egress", 12_000),
    targets,
    defaultTarget: 0,
    aliases: [],
    limits: { requestBodyBytes: 32 * MEBIBYTE, requestHeadersKib: 60 },
    accessLog: { maxFileBytes: 100 * MEBIBYTE, keepFiles: 5 },
    filterEnvironment: [...new Set(variables)].sort(),
    ...more,
  };
}

export const DEMONSTRATION = targetAt(
  "demo/echo",
  { kind: "embedded" },
  { auth: { kind: "none" } },
);

/** As a configuration with fallbacks has it by default. */
export const RETRY: Retry = {
  attempts: 1,
  statuses: [408, 429, 500, 502, 503, 504, 529],
  afterRefusal: true,
  afterReset: true,
};

const openai = (model: string): Target => targetAt(`openai/${model}`, host("api.openai.com"));
const claude = targetAt("anthropic/claude-sonnet-4-5", host("api.anthropic.com"), ANTHROPIC);

const PROMPT: Prompt = {
  guard: { message: "I cannot help with that.", failsOpen: false, listeners: ["ingress"] },
  targets: [
    {
      name: "weather",
      description: "Weather at a place",
      examples: ["Will it rain in Oslo?"],
      endpoint: "weather_api",
      method: "GET",
      path: "/v1/weather/{city}?units=metric",
      headers: [
        { name: "authorization", parts: [{ text: "Bearer " }, { environment: "WEATHER_KEY" }] },
      ],
      parameters: [
        { name: "city", description: "City", required: true, type: "str", inPath: true },
        {
          name: "days",
          description: "Days",
          required: false,
          type: "int",
          inPath: false,
          default: 1,
        },
      ],
      systemPrompt: "You are a weather person.",
      isDefault: false,
      dispatches: true,
    },
    {
      name: "ticket",
      description: "Opens a ticket",
      examples: [],
      endpoint: "desk",
      method: "POST",
      path: "/tickets",
      headers: [],
      parameters: [],
      isDefault: true,
      dispatches: false,
    },
  ],
  endpoints: [
    {
      name: "weather_api",
      address: host("weather.example.com") as PromptEndpoint["address"],
      authority: "weather.example.com",
      connectTimeoutMs: 2_000,
    },
    {
      name: "desk",
      address: host("192.0.2.9", 8080) as PromptEndpoint["address"],
      authority: "desk.internal",
      connectTimeoutMs: 5_000,
    },
  ],
  threshold: 0.6,
  modelServer: { extraction: "auto", provider: 0, environment: [] },
};

/** Name of the golden folder → model. */
export const GOLDEN_MODELS: Record<string, GatewayModel> = {
  "one-provider": modelOf([openai("gpt-4o")]),
  demonstration: modelOf([DEMONSTRATION]),
  "many-providers": modelOf(
    [
      openai("gpt-4o"),
      openai("gpt-4o-mini"),
      claude,
      targetAt("groq/llama-3.3-70b", host("api.groq.com"), {
        path: "/openai/v1/chat/completions",
        auth: { kind: "bearer", environmentVariable: "GROQ_API_KEY" },
      }),
      targetAt("ollama/qwen3:8b", host("localhost", 11_434), {
        authority: "localhost:11434",
        auth: { kind: "none" },
      }),
    ],
    {
      aliases: [{ name: "fast", target: 1 }],
      ingress: listenerAt("ingress", 10_000, 5_000),
      limits: {
        requestBodyBytes: 8 * MEBIBYTE,
        requestHeadersKib: 96,
        memoryBytes: 512 * MEBIBYTE,
        connections: 500,
        concurrentRequests: 40,
      },
    },
  ),
  addresses: modelOf([
    targetAt("vllm/a", host("192.0.2.7", 8000), {
      auth: { kind: "none" },
      authority: "192.0.2.7:8000",
    }),
    targetAt("vllm/b", host("2001:db8::7", 8000), {
      auth: { kind: "none" },
      authority: "[2001:db8::7]:8000",
    }),
    targetAt("vllm/c", host("192.0.2.8", 8443, { tls: true }), { authority: "192.0.2.8:8443" }),
  ]),
  "base-url-with-prefix": modelOf([
    targetAt("corp/gpt", host("llm.example.com", 8443, { tls: true }), {
      authority: "llm.example.com:8443",
      path: "/proxy/openai/v1/chat/completions",
      headers: [
        { name: "x-team", parts: [{ text: "search" }] },
        { name: "authorization", parts: [{ text: "Basic " }, { environment: "CORP_LOGIN" }] },
      ],
      auth: { kind: "none" },
      systemPrompt: "Answer in English: \"yes\" or 'no'.\nNothing else.",
    }),
  ]),
  "several-targets": modelOf([openai("gpt-4o"), claude, DEMONSTRATION], {
    targetSets: [{ name: "best", targets: [0, 1, 2], retry: RETRY }],
  }),
  "upstream-settings": modelOf([openai("gpt-4o"), { ...claude, decompresses: true }], {
    targetSets: [{ name: "best", targets: [0, 1], retry: RETRY }],
    upstream: {
      connectTimeoutMs: 2_000,
      idleTimeoutMs: 20_000,
      maxConnections: 100,
      maxPendingRequests: 10,
      consecutiveFailures: 3,
      ejectionTimeMs: 500,
    },
  }),
  "prompt-targets": modelOf([openai("gpt-4o")], { prompt: PROMPT }),
  mcp: modelOf([openai("gpt-4o")], { prompt: { ...PROMPT, mcp: true } }),
  traces: modelOf([openai("gpt-4o")], {
    prompt: PROMPT,
    tracing: {
      address: {
        kind: "host",
        host: "otlp.example.com",
        port: 443,
        tls: true,
        serverName: "otlp.example.com",
      },
      authority: "otlp.example.com",
      protocol: { kind: "grpc" },
      headers: [
        { name: "authorization", parts: [{ text: "Bearer " }, { environment: "COLLECTOR_TOKEN" }] },
      ],
      sampled: 1250,
      followsParent: true,
      serviceName: "gateway",
      resource: { "deployment.environment.name": "production" },
      hasSteps: true,
      reachesProviders: false,
    },
  }),
  "traces-over-http": modelOf([openai("gpt-4o")], {
    tracing: {
      address: { kind: "host", host: "192.0.2.9", port: 4318, tls: false, serverName: "192.0.2.9" },
      authority: "192.0.2.9:4318",
      protocol: { kind: "http", path: "/v1/traces" },
      headers: [],
      sampled: 10_000,
      followsParent: false,
      serviceName: "team-gateway",
      resource: {},
      hasSteps: false,
      reachesProviders: true,
    },
  }),
  "rate-limit-service": modelOf([openai("gpt-4o")], {
    rateLimits: [
      { subject: { target: 0 }, counts: "tokens", amount: 1000, unit: "minute" },
      {
        subject: { alias: "fast" },
        selector: { header: "x-user" },
        counts: "requests",
        amount: 5,
        unit: "hour",
      },
    ],
    aliases: [{ name: "fast", target: 0 }],
    rateLimitService: {
      address: { host: "ratelimit.example.com", port: 8081 },
      onFailure: "deny",
      timeoutMs: 100,
    },
  }),
  budgets: modelOf([openai("gpt-4o")], {
    budgets: [
      { subject: { key: "research" }, amount: 50e9, per: "month" },
      { subject: { target: "openai/gpt-4o" }, amount: 20e9, per: "day" },
      { subject: "all", amount: 500e9, per: "total" },
    ],
  }),
  "guard-alone": modelOf([openai("gpt-4o")], {
    prompt: {
      guard: {
        message: "I cannot help with that.",
        failsOpen: true,
        listeners: ["ingress", "egress"],
      },
      targets: [],
      endpoints: [],
      modelServer: { extraction: "auto", provider: 0, environment: [] },
    },
  }),
  "cloud-credentials": modelOf(
    [
      targetAt("bedrock/nova", host("bedrock-runtime.eu-central-1.amazonaws.com"), {
        auth: {
          kind: "none",
          signing: {
            service: "bedrock",
            region: "eu-central-1",
            source: { from: "environment" },
            role: { arn: "arn:aws:iam::123456789012:role/gateway", sessionName: "gateway" },
          },
        },
      }),
      targetAt("vertex/gemini", host("aiplatform.googleapis.com"), {
        auth: { kind: "none", token: tokenOf({ type: "google" }) },
      }),
      openai("gpt-4o"),
    ],
    { targetSets: [{ name: "best", targets: [0, 2], retry: RETRY }] },
  ),
  secured: modelOf([openai("gpt-4o")], {
    prompt: {
      guard: { message: "I cannot help with that.", failsOpen: true, listeners: ["ingress"] },
      targets: [],
      endpoints: [],
      modelServer: { extraction: "auto", provider: 0, environment: [] },
    },
    egress: {
      ...listenerAt("egress", 12_000),
      apiKeys: ["FIRST_TEAM", "OTHER_TEAM"].map((name) => ({ variable: name, name })),
      tls: { certificate: "/etc/gateway/tls.crt", key: "/etc/gateway/tls.key" },
    },
  }),
};
