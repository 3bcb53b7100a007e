// gateway.yaml and the environment → the model, or every problem at once. Pure: no file, clock or network is touched.
import type { GatewayModel } from "../ir/model.ts";
import { refuseSharedKeys } from "./api-keys.ts";
import { refuseSharedClientKeys } from "./client-keys.ts";
import { correctKeys } from "./diagnostics/correct-keys.ts";
import { readDocument } from "./yaml/document.ts";
import type { Source } from "./yaml/document.ts";
import { checkEntryNames } from "./entry-names.ts";
import { readFailover } from "./failover.ts";
import { readListeners } from "./listeners.ts";
import { findNotSupported } from "./diagnostics/not-supported-yet.ts";
import { warnOfOpenListeners } from "./open-listeners.ts";
import { sortProblems } from "./diagnostics/problem.ts";
import type { Problem } from "./diagnostics/problem.ts";
import { readPrompt } from "./prompt.ts";
import { MIN_CONFIGURATION, readProviders } from "./provider-list.ts";
import { startReading } from "./reading.ts";
import type { Environment } from "./environment.ts";
import type { Machine, Reading } from "./reading.ts";
import { readRateLimitService } from "./rate-limit-service.ts";
import { readRateLimits } from "./rate-limits.ts";
import { refuseKeysElsewhere, reportReferences } from "./diagnostics/reference-problems.ts";
import type { Configuration } from "./schema.ts";
import { readAccessLog, readLimits, readVersion } from "./settings.ts";
import { checkShape } from "./shape.ts";
import type { Draft } from "./shape.ts";
import { substitute } from "./substitute.ts";
import type { Substitution } from "./substitute.ts";
import { suggestion } from "./diagnostics/suggest.ts";
import { readSystemPrompt } from "./provider/system-prompt.ts";
import { readUpstream } from "./upstream.ts";

export type LoadResult =
  { ok: true; model: GatewayModel; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Never throws: whatever the text, the answer is a model or a list of problems in the file's order. */
export function loadConfiguration(
  source: Source,
  variables: Environment,
  machine?: Machine,
): LoadResult {
  // Without a prototype: `$constructor` is a variable that is not set.
  const environment = Object.assign(Object.create(null) as Record<string, never>, variables);
  const { document, corrections } = correctKeys(readDocument(source));
  const substitution = substitute(document, environment);
  const reading = startReading(document, environment, substitution.namesAt, machine);
  // What a damaged file seems to hold would only bury the damage under follow-up complaints.
  if (document.isDamaged) return { ok: false, problems: sortProblems(reading.problems) };
  if (document.value === undefined || document.value === null) {
    if (reading.problems.length === 0) {
      reading.problem([], "the file is empty", { hint: MIN_CONFIGURATION });
    }
    return { ok: false, problems: sortProblems(reading.problems) };
  }
  for (const { path, meant } of corrections) {
    reading.problem(path, "unknown key", { part: "key", hint: suggestion(meant) });
  }
  reportReferences(reading, substitution);
  for (const { path, message, hint } of findNotSupported(substitution.value)) {
    reading.problem(path, message, { part: "key", hint });
  }
  const model = readModel(reading, checkShape(reading, substitution), substitution);
  if (reading.problems.length > 0) return { ok: false, problems: sortProblems(reading.problems) };
  return { ok: true, model, warnings: sortProblems(reading.warnings) };
}

/** Complete only when the reading has no problems; every check is made in any case. */
function readModel(
  reading: Reading,
  draft: Draft<Configuration>,
  substitution: Substitution,
): GatewayModel {
  const { ingress, egress } = readListeners(reading, draft.listeners);
  const globalPrompt = readSystemPrompt(reading, ["system_prompt"], draft.system_prompt);
  const { placed, defaultTarget } = readProviders(reading, draft, globalPrompt);
  checkEntryNames(reading, placed, defaultTarget);
  const targets = placed.map(({ target }) => target);
  const { aliases, targetSets } = readFailover(reading, draft, placed, defaultTarget);
  refuseSharedClientKeys(reading, targetSets, placed);
  const rateLimits = readRateLimits(reading, draft.ratelimits ?? [], {
    targets,
    defaultTarget,
    aliases: new Set(Object.keys(draft.model_aliases ?? {})),
  });
  const service = readRateLimitService(
    reading,
    draft.ratelimit_service,
    (draft.ratelimits ?? []).length > 0,
  );
  const prompt = readPrompt(reading, draft, { targets, aliases, defaultTarget });
  const keys = targets.flatMap(({ auth }) => [
    ...(auth.environmentVariable === undefined ? [] : [auth.environmentVariable]),
    ...(auth.otherVariables ?? []),
  ]);
  const serverKeys = prompt?.modelServer.environment ?? [];
  const clientKeys = [ingress, egress].flatMap(({ apiKeys = [] }) => apiKeys);
  const allKeys = new Set([...keys, ...serverKeys, ...clientKeys]);
  refuseKeysElsewhere(reading, substitution, draft, allKeys);
  const senders = [...targets, ...(prompt?.targets ?? [])];
  const parts = senders.flatMap(({ headers }) => headers.flatMap((header) => header.parts));
  const inHeaders = parts.flatMap((part) => ("environment" in part ? part.environment : []));
  if (keys.length + inHeaders.length > 0) warnOfOpenListeners(reading, [ingress, egress]);
  refuseSharedKeys(reading, draft.listeners, new Set([...keys, ...serverKeys, ...inHeaders]));
  return {
    version: readVersion(reading, draft.version),
    ingress,
    egress,
    targets,
    defaultTarget,
    aliases,
    ...(targetSets.length === 0 ? {} : { targetSets }),
    ...(draft.retry?.budget === undefined ? {} : { retryBudget: draft.retry.budget }),
    limits: readLimits(reading, draft.limits ?? {}),
    ...(rateLimits.length === 0 ? {} : { rateLimits }),
    ...(rateLimits.length === 0 || service === undefined ? {} : { rateLimitService: service }),
    ...(draft.overrides?.strict_translation === true ? { strictTranslation: true } : {}),
    ...(draft.upstream === undefined ? {} : { upstream: readUpstream(draft.upstream) }),
    accessLog: readAccessLog(reading, draft.access_log ?? {}),
    ...(prompt === undefined ? {} : { prompt }),
    filterEnvironment: [...new Set([...keys, ...inHeaders, ...clientKeys])].sort(),
  };
}
