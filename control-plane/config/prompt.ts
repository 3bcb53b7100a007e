// Everything about prompts: `prompt_targets`, `endpoints`, `prompt_guards`, `model_server` and the threshold in `overrides`.
import type { GatewayModel } from "../ir/model.ts";
import type { Prompt } from "../ir/prompt.ts";
import { readModelServer } from "./model-server.ts";
import { readEndpoints } from "./prompt-endpoints.ts";
import { readGuard } from "./prompt-guard.ts";
import { readPromptTargets } from "./prompt-targets.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

type Models = Pick<GatewayModel, "targets" | "aliases" | "defaultTarget">;

/** Undefined when the configuration has neither targets nor a guard. */
export function readPrompt(
  reading: Reading,
  draft: Draft<Configuration>,
  models: Models,
): Prompt | undefined {
  const endpoints = readEndpoints(reading, draft.endpoints ?? {});
  const targets = readPromptTargets(reading, draft, endpoints);
  const guard = readGuard(reading, draft.prompt_guards?.input_guards?.jailbreak);
  const modelServer = readModelServer(reading, draft.model_server ?? {}, models);
  if (guard !== undefined) refuseForeignHead(reading, modelServer);
  const threshold = draft.overrides?.prompt_target_intent_matching_threshold;
  const used = new Set(targets.map(({ endpoint }) => endpoint));
  if (draft.prompt_targets !== undefined) warnOfUnused(reading, draft, used);
  if (targets.length === 0 && guard === undefined) {
    warnOfNothingToDo(reading, draft);
    return undefined;
  }
  return {
    ...(guard === undefined ? {} : { guard }),
    targets,
    endpoints: endpoints.filter(({ name }) => used.has(name)),
    ...(threshold === undefined ? {} : { threshold }),
    modelServer,
  };
}

/** The shipped head reads the vectors of one model. */
function refuseForeignHead(reading: Reading, { embeddings, guard }: Prompt["modelServer"]): void {
  if (embeddings === undefined || guard !== undefined) return;
  reading.problem(
    ["model_server", "embeddings"],
    "the jailbreak guard knows the embedded model only, and this is another one",
    { part: "key", hint: "give the guard a model of its own: model_server.guard" },
  );
}

function warnOfUnused(
  reading: Reading,
  draft: Draft<Configuration>,
  used: ReadonlySet<string>,
): void {
  for (const name of Object.keys(draft.endpoints ?? {})) {
    if (!used.has(name) && reading.problems.length === 0) {
      reading.warning(["endpoints", name], "no prompt target calls this endpoint", { part: "key" });
    }
  }
}

/** Settings that would have no effect at all. */
function warnOfNothingToDo(reading: Reading, draft: Draft<Configuration>): void {
  const given = (["endpoints", "model_server"] as const).filter((key) => draft[key] !== undefined);
  for (const key of given) {
    if (reading.problems.length > 0) return;
    reading.warning([key], "this has no effect: there are no prompt_targets and no prompt_guards", {
      part: "key",
    });
  }
}
