// The slices of `prompt_targets`, `endpoints`, `prompt_guards` and `model_server` → one prompt configuration.
import type { Prompt } from "../../model/prompts.ts";
import type { Reading } from "./reading.ts";
import { endpoints } from "./sections/endpoints.ts";
import { modelServer } from "./sections/model-server.ts";
import { promptTargets } from "./sections/prompt-targets.ts";
import type { Load } from "./section.ts";

/** Returns undefined when the configuration has neither targets nor a guard. */
export function combinePrompt(load: Load): Prompt | undefined {
  const { reading, part } = load;
  const {
    targets = [],
    endpoints: all = [],
    modelServer: server,
    ...more
  } = load.model.prompt ?? {};
  if (server === undefined) return undefined;
  if (more.guard !== undefined) refuseForeignHead(reading, server);
  const used = new Set(targets.map(({ endpoint }) => endpoint));
  if (part(promptTargets) !== undefined) warnOfUnused(load, used);
  if (targets.length === 0 && more.guard === undefined) {
    warnOfNothingToDo(load);
    return undefined;
  }
  return {
    ...more,
    targets,
    endpoints: all.filter(({ name }) => used.has(name)),
    modelServer: server,
  };
}

/** The shipped guard reads the vectors of one model. */
function refuseForeignHead(reading: Reading, { embeddings, guard }: Prompt["modelServer"]): void {
  if (embeddings === undefined || guard !== undefined) return;
  reading.problem(
    ["model_server", "embeddings"],
    "the jailbreak guard supports the embedded model only; another model is configured",
    { part: "key", hint: "configure a model for the guard: model_server.guard" },
  );
}

function warnOfUnused({ reading, part }: Load, used: ReadonlySet<string>): void {
  for (const name of Object.keys(part(endpoints) ?? {})) {
    if (!used.has(name) && reading.problems.length === 0) {
      reading.warning(["endpoints", name], "no prompt target calls this endpoint", { part: "key" });
    }
  }
}

/** Settings without any effect. */
function warnOfNothingToDo({ reading, part }: Load): void {
  for (const section of [endpoints, modelServer]) {
    if (part<unknown>(section) === undefined || reading.problems.length > 0) continue;
    reading.warning(
      [section.key],
      "this has no effect: there are no prompt_targets and no prompt_guards",
      { part: "key" },
    );
  }
}
