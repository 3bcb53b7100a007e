// gateway.yaml and the environment → the model, or every problem at once. Pure: no file, clock or network is touched.
import type { GatewayModel } from "../../model/model.ts";
import { checkCredentials } from "./check-credentials.ts";
import { correctKeys } from "./diagnostics/correct-keys.ts";
import { findNotSupported } from "./diagnostics/not-supported-yet.ts";
import { sortProblems } from "../report/problem.ts";
import type { Problem } from "../report/problem.ts";
import { reportReferences } from "./diagnostics/reference-problems.ts";
import { suggestion } from "../report/suggest.ts";
import type { Environment } from "../report/environment.ts";
import { combinePrompt } from "./prompt-model.ts";
import { checkAllowedModels } from "./check-allowed-models.ts";
import { startReading } from "./reading.ts";
import type { Machine, Reading } from "./reading.ts";
import { SECTIONS } from "./schema.ts";
import { MIN_CONFIGURATION } from "./sections/llm-providers.ts";
import type { Draft, Load, Section } from "./section.ts";
import { checkShape } from "./shape.ts";
import { substitute } from "./substitute.ts";
import type { Substitution } from "./substitute.ts";
import { readDocument } from "./yaml/yaml-document.ts";
import type { Source } from "./yaml/yaml-document.ts";

export type LoadResult =
  { ok: true; model: GatewayModel; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Never throws: whatever the text, the result is a model or a list of problems in the file's order. */
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
  // Further problems of a damaged file would only hide the damage.
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
  draft: Record<string, unknown>,
  substitution: Substitution,
): GatewayModel {
  const load: Load = {
    reading,
    model: {},
    placed: [],
    has: (key) => Object.hasOwn(draft, key),
    part: <Value>({ key }: Section<Value>) => draft[key] as Draft<Value> | undefined,
  };
  for (const section of SECTIONS) {
    const { prompt, ...slice } = section.read?.(load, draft[section.key]) ?? {};
    Object.assign(load.model, slice);
    if (prompt !== undefined) load.model.prompt = { ...load.model.prompt, ...prompt };
  }
  const { prompt: _, ...slices } = load.model;
  const prompt = combinePrompt(load);
  const model = { ...slices, ...(prompt === undefined ? {} : { prompt }) } as GatewayModel;
  checkAllowedModels(load, model);
  return { ...model, filterEnvironment: checkCredentials(load, model, draft, substitution) };
}
