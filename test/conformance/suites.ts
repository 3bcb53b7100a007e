// The public suites, all of them, and why a test of theirs fails.
import { runLlmComply } from "./llm-comply.ts";
import { runMcpConformance } from "./mcp.ts";
import { runOtel } from "./otel.ts";
import { runSchemas } from "./schemas.ts";
import type { SuiteRun } from "./suite.ts";
import { startWithProviders } from "./with-providers.ts";

export interface KnownFailure {
  suite: string;
  /** Of the test or its reason. */
  pattern: RegExp;
  why: string;
}

/** A failure that is in none of these fails CI; so does one of these that happens no more. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    suite: "llm-comply",
    pattern: /^chat-reasoning-summary$/,
    why: "The test sends `reasoning`, a member of the Responses API. Bytes of the client's own format are passed on, and OpenAI's chat completions reject it.",
  },
  {
    suite: "Schemas over every translated exchange",
    pattern:
      /'(?:custom|namespace|web_search|code_interpreter|mcp|computer|computer_use_preview)(?:_call)?'/,
    why: "Custom tools, namespaces and the tools that a provider runs are OpenAI's; the schema has functions and messages alone. A response repeats the tools of its request, as OpenAI's does.",
  },
  {
    suite: "Schemas over every translated exchange",
    pattern: /^service_tier: 'priority' is not one of/,
    why: "OpenAI has the tier `priority`; the suite's copy of its schema is older.",
  },
  {
    suite: "Schemas over every translated exchange",
    pattern: /'minimal'/,
    why: "OpenAI has the effort `minimal`; the schema of Open Responses does not.",
  },
  {
    suite: "Schemas over every translated exchange",
    pattern: /no schema for the event response\.(?:reasoning|custom_tool|web_search|code_interp)/,
    why: "OpenAI's events of reasoning, custom tools and what it runs have names of their own, which its SDKs and Codex read.",
  },
  {
    suite: "Schemas over every translated exchange",
    pattern: /'mcp_tool_use'/,
    why: "The blocks of MCP servers are a beta, whose schemas the package has only for the responses of betas.",
  },
  {
    suite: "OpenTelemetry GenAI",
    pattern: /^span kind: /,
    why: "The span of the client's request, of kind server, is the inference: [decision](decisions/2026-11-23-inference-span.md).",
  },
  {
    suite: "OpenTelemetry GenAI",
    pattern: /not in the conventions: gen_ai\.original\.model$/,
    why: "The model as the client has sent it, by the name that Envoy AI Gateway gave this attribute; the conventions have none for it.",
  },
];

export function knownFailure(
  suite: string,
  test: string,
  reason: string,
): KnownFailure | undefined {
  return KNOWN_FAILURES.find(
    (known) => known.suite === suite && (known.pattern.test(test) || known.pattern.test(reason)),
  );
}

export async function runSuites(): Promise<SuiteRun[]> {
  const providers = await startWithProviders();
  try {
    const all = await Promise.all([
      runLlmComply(providers.gateway.url),
      runMcpConformance(),
      runSchemas(),
      runOtel(),
    ]);
    return all.flat();
  } finally {
    await providers.stop();
  }
}
