// The limits of one model: what is known of it, and what the entry's own `limits` say instead.
import { ANTHROPIC_MESSAGES, OPENAI_CHAT } from "../../../contract/dialects.ts";
import type { DialectRow } from "../../../contract/dialects.ts";
import { KNOWN_LIMITS, LIMITS_BY_HOST, limitsIn } from "../../providers/known-limits.ts";
import type { ProviderLimits } from "../../providers/limits/families.ts";
import { dialectOf, effectiveLimits } from "../../ir/model-limits.ts";
import type { LimitName } from "../../ir/model-limits.ts";
import type { ModelLimits, Target } from "../../ir/model.ts";
import { INTERFACES } from "../../providers/registry.ts";
import type { Connection } from "./connection.ts";
import type { Path } from "../diagnostics/problem.ts";
import type { Reading } from "../reading.ts";
import type { ProviderDraft } from "./entry.ts";

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
  if (address.kind === "host" && dialect === OPENAI_CHAT) {
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
  dialect: DialectRow,
): ModelLimits {
  const own: ModelLimits = {
    ...(draft as Omit<typeof draft, "efforts" | "refuses"> as ModelLimits),
    ...(draft.efforts === undefined ? {} : { efforts: unique(draft.efforts) }),
    ...(draft.refuses === undefined ? {} : { refuses: unique(draft.refuses) }),
  };
  for (const name of Object.keys(own) as LimitName[]) {
    const only = dialectOf(name);
    if (only === undefined || only === dialect) continue;
    reading.problem([...path, name], `${name} is a limit of the ${only.format} format`, {
      part: "key",
      hint: `remove it: this model uses the ${dialect.format} format`,
    });
  }
  if (own.sampling === "without_reasoning" && dialect === ANTHROPIC_MESSAGES) {
    reading.problem([...path, "sampling"], "without_reasoning is for the chat completions format", {
      hint: "write none, one or any",
    });
  }
  return own;
}

function unique<Word>(words: readonly (Word | undefined)[]): Word[] {
  return [...new Set(words.filter((word) => word !== undefined))];
}
