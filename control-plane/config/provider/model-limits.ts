// The limits of one model: what is known of it, and what the entry's own `limits` say instead.
import { DIALECT_ANTHROPIC, DIALECT_OPENAI } from "../../../contract/words.ts";
import { KNOWN_LIMITS, LIMITS_BY_HOST, limitsIn } from "../../providers/known-limits.ts";
import type { ProviderLimits } from "../../providers/limits/families.ts";
import { dialectOf, effectiveLimits } from "../../ir/model-limits.ts";
import type { LimitName } from "../../ir/model-limits.ts";
import type { Dialect, ModelLimits, Target } from "../../ir/model.ts";
import { INTERFACES } from "../../providers/registry.ts";
import type { Connection } from "./connection.ts";
import type { Path } from "../diagnostics/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";

const FORMATS: Record<Dialect, string> = {
  [DIALECT_OPENAI]: "chat completions",
  [DIALECT_ANTHROPIC]: "messages",
};

/** `path`: of the entry. */
export function readModelLimits(
  reading: Reading,
  path: Path,
  entry: ProviderDraft,
  { provider, model }: { provider: string; model: string },
  connection: Connection,
): Pick<Target, "limits" | "asksForUsage"> {
  const known = limitsIn(tableOf(entry.provider_interface, provider, connection), model);
  const own = checkOwn(reading, [...path, "limits"], entry.limits ?? {}, connection.dialect);
  const limits = effectiveLimits({ ...known, ...own });
  return {
    asksForUsage: own.stream_usage ?? connection.asksForUsage,
    ...(limits === undefined ? {} : { limits }),
  };
}

/** The address says more than the provider's name, and that more than the interface, which may only be the format. */
function tableOf(
  chosen: string | undefined,
  provider: string,
  { address, dialect }: Connection,
): ProviderLimits | undefined {
  if (address.kind === "host" && dialect === DIALECT_OPENAI) {
    for (const [host, table] of Object.entries(LIMITS_BY_HOST)) {
      if (address.host === host || address.host.endsWith(`.${host}`)) return table;
    }
  }
  const name = [provider, chosen].find((word) => INTERFACES.get(word ?? "")?.dialect === dialect);
  return KNOWN_LIMITS[name ?? ""];
}

/** The columns that make sense; each of the others has its problem. */
function checkOwn(
  reading: Reading,
  path: Path,
  draft: NonNullable<ProviderDraft["limits"]>,
  dialect: Dialect,
): ModelLimits {
  const own: ModelLimits = {
    ...(draft as Omit<typeof draft, "efforts" | "refuses"> as ModelLimits),
    ...(draft.efforts === undefined ? {} : { efforts: unique(draft.efforts) }),
    ...(draft.refuses === undefined ? {} : { refuses: unique(draft.refuses) }),
  };
  for (const name of Object.keys(own) as LimitName[]) {
    const only = dialectOf(name);
    if (only === undefined || only === dialect) continue;
    reading.problem([...path, name], `${name} is a limit of the ${FORMATS[only]} format`, {
      part: "key",
      hint: `remove it: this model uses the ${FORMATS[dialect]} format`,
    });
  }
  if (own.sampling === "without_reasoning" && dialect === DIALECT_ANTHROPIC) {
    reading.problem([...path, "sampling"], "without_reasoning is for the chat completions format", {
      hint: "write none, one or any",
    });
  }
  return own;
}

function unique<Word>(words: readonly (Word | undefined)[]): Word[] {
  return [...new Set(words.filter((word) => word !== undefined))];
}
