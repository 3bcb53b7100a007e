// The shape of gateway.yaml: one section for each key, in the order in which they are read.
import { z } from "zod";
import { accessLog } from "./sections/access-log.ts";
import { alerts } from "./sections/alerts.ts";
import { audit } from "./sections/audit.ts";
import { budgets } from "./sections/budgets.ts";
import { claudeCode } from "./sections/claude-code.ts";
import { clientIdleTimeout } from "./sections/client-idle-timeout.ts";
import { endpoints } from "./sections/endpoints.ts";
import { groups } from "./sections/groups.ts";
import { guards } from "./sections/guards.ts";
import { keys } from "./sections/keys.ts";
import { limits } from "./sections/limits.ts";
import { listeners } from "./sections/listeners.ts";
import { llmProviders, modelProviders } from "./sections/llm-providers.ts";
import { log } from "./sections/log.ts";
import { mcp } from "./sections/mcp.ts";
import { mode } from "./sections/mode.ts";
import { modelAliases } from "./sections/model-aliases.ts";
import { modelServer } from "./sections/model-server.ts";
import { observability } from "./sections/observability.ts";
import { overrides } from "./sections/overrides.ts";
import { pricing } from "./sections/pricing.ts";
import { promptGuards } from "./sections/prompt-guards.ts";
import { promptTargets } from "./sections/prompt-targets.ts";
import { ratelimitService } from "./sections/ratelimit-service.ts";
import { ratelimits } from "./sections/ratelimits.ts";
import { redis } from "./sections/redis.ts";
import { retry } from "./sections/retry.ts";
import { modelFacts } from "./sections/model-facts.ts";
import type { Section } from "./section.ts";
import { sessions } from "./sections/sessions.ts";
import { systemPrompt } from "./sections/system-prompt.ts";
import { tracing } from "./sections/tracing.ts";
import { upstream } from "./sections/upstream.ts";
import { users } from "./sections/users.ts";
import { version } from "./sections/version.ts";

/** Loading, gateway.schema.json and docs/configuration.md walk this list. A section follows those whose results it reads. */
export const SECTIONS: readonly Section[] = [
  version,
  listeners,
  systemPrompt,
  modelFacts,
  llmProviders,
  modelProviders,
  modelAliases,
  retry,
  sessions,
  limits,
  clientIdleTimeout,
  ratelimits,
  ratelimitService,
  upstream,
  accessLog,
  log,
  audit,
  observability,
  claudeCode,
  pricing,
  groups,
  users,
  budgets,
  alerts,
  redis,
  keys,
  endpoints,
  promptTargets,
  promptGuards,
  guards,
  mcp,
  modelServer,
  overrides,
  tracing,
  mode,
];

export const configurationSchema = z
  .strictObject(Object.fromEntries(SECTIONS.map(({ key, schema }) => [key, schema.optional()])), {
    error: "a mapping (`key: value` lines)",
  })
  .meta({
    title: "Configuration of the gateway",
    description:
      "gateway.yaml: the models that clients can call, where the gateway listens, and its limits.",
  });
